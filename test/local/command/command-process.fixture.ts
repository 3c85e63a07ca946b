import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

const children: ChildProcess[] = [];

// A test that failed half-way leaves nothing running.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The built command in a process of its own. */
export interface CommandProcess {
  /** The address it serves at; rejects with what it printed if it ended before. */
  readonly url: Promise<string>;
  /** Resolves with all that it printed so far once that fits. */
  readonly printed: (pattern: RegExp) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): CommandProcess {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is missing: npm run build makes it`);
  const child: ChildProcess = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(output)) resolve(output);
      };
      waiting.add(look);
      look();
      void ended.then(() => {
        reject(new Error(`the command ended; it printed: ${output}`));
      });
    });
  const url = printed(/ at http:\S+ /).then((text) => / at (http:\S+) /.exec(text)?.[1] ?? '');
  // Not every test waits for it.
  url.catch(() => undefined);
  return { url, printed, ended, kill: (signal) => child.kill(signal) };
}
