import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  /**
   * Runs a module. Resolves with what it printed, when nothing of it is left to do. Rejects if it fails or takes longer
   * than `timeoutMs`.
   */
  readonly run: (path: string, timeoutMs: number) => Promise<Printed>;
  /** Ends the process, and resolves when it has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Runs modules of a folder in one process, one after another, because processes of their own would spend most of their
 * time on loading the same packages. After a failure the next module gets a new process.
 */
export function samplesRun(folder: string, env: NodeJS.ProcessEnv): Run {
  const script = join(folder, 'run-samples.mjs');
  copyFileSync(join(import.meta.dirname, 'run-samples.mjs'), script);
  let current: Run | undefined;
  return {
    async run(path, timeoutMs) {
      const used = (current ??= inProcess(script, folder, env));
      try {
        return await used.run(path, timeoutMs);
      } catch (error) {
        current = undefined;
        await used.close();
        throw error;
      }
    },
    close: async () => current?.close(),
  };
}

const OUTPUTS = ['stdout', 'stderr'] as const;
/** This character follows what a module printed. */
const END = '\0';

function inProcess(script: string, cwd: string, env: NodeJS.ProcessEnv): Run {
  const child = fork(script, { cwd, env, silent: true });
  const printed = { stdout: '', stderr: '' };
  let look = (): void => undefined;
  for (const name of OUTPUTS) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      look();
    });
  }
  const closed = once(child, 'close');
  const ended = closed.then(([code, signal]) => {
    throw new Error(`ended with ${String(code ?? signal)}: ${printed.stdout}${printed.stderr}`);
  });
  ended.catch(() => undefined);
  return {
    async run(path, timeoutMs) {
      Object.assign(printed, { stdout: '', stderr: '' });
      const done = new Promise<void>((resolve) => {
        look = () => {
          if (OUTPUTS.every((name) => printed[name].endsWith(END))) resolve();
        };
      });
      child.send(path);
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      await Promise.race([done, ended]).finally(() => {
        clearTimeout(timer);
      });
      return { stdout: printed.stdout.slice(0, -END.length), stderr: printed.stderr.slice(0, -END.length) };
    },
    async close() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
