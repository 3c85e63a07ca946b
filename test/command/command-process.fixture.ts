import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ScriptProcess, startScript } from '../process.fixture.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** The built command in another process. */
export interface CommandProcess extends ScriptProcess {
  /**
   * The address at which the command serves. If the command ends before it serves, this rejects with what it printed.
   */
  readonly url: Promise<string>;
}

export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): CommandProcess {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is missing: npm run build makes it`);
  const command = startScript(COMMAND, args, env);
  const url = command.printed(/ at http:\S+ /).then((text) => / at (http:\S+) /.exec(text)?.[1] ?? '');
  // Not every test awaits the address, and an unhandled rejection would fail the run.
  url.catch(() => undefined);
  return { ...command, url };
}
