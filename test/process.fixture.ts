import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';

const children: ChildProcess[] = [];

// A test that fails half-way leaves no process running.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** A script in another process. */
export interface ScriptProcess {
  /**
   * Resolves with the whole output so far when that matches the pattern. Rejects with the output if the process ends
   * before.
   */
  readonly printed: (pattern: RegExp) => Promise<string>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

export function startScript(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ScriptProcess {
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
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
        reject(new Error(`the process ended; it printed: ${output}`));
      });
    });
  return { printed, ended, kill: (signal) => child.kill(signal) };
}
