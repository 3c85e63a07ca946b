import { systemClock, type Clock } from '../../src/base/time/clock.js';
import { runCommand } from '../../src/command/program.js';
import { answerJson, type Script } from '../servers/scripted.fixture.js';

/** How a command ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** With this clock, the command never prints its line about a long wait. */
const PATIENT: Clock = {
  ...systemClock,
  after: (ms, run, background) => (background ? () => undefined : systemClock.after(ms, run)),
};

/** Runs a command that ends by itself, in this process. */
export async function ran(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  clock: Clock = PATIENT,
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand({
    argv,
    env,
    version: '1.2.3',
    print: (lines) => out.push(lines),
    complain: (lines) => err.push(lines),
    interrupted: () => new Promise(() => undefined),
    clock,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Serves the snapshot of a newer Flipt, which has a boolean flag and one of a type that is unknown here. */
export const withUnreadable: Script = (_, response) => {
  const banner = { key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled: true };
  answerJson(response, {
    namespace: { key: 'default' },
    flags: [banner, { key: 'list', type: 'LIST_FLAG_TYPE' }],
  });
};
