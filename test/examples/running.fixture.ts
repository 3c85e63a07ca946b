import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const started = new Set<ChildProcess>();

// Ends what a failed test has left behind. Not after each test, because others of the file may run at the same time.
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface Running {
  /** The address at which the process serves. */
  readonly url: string;
  /** Ends the process like Ctrl-C. */
  readonly interrupt: () => Promise<Ended>;
  /** Ends the process like a supervisor. */
  readonly terminate: () => Promise<Ended>;
  readonly kill: () => void;
}

/** Runs node as a user would: in the root, with the built package, and with no settings of Flipt but these. */
export function node(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(FLIPT_|PORT$|NODE_|VITEST)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), ...settings };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('output');
    });
  }
  started.add(child);
  const end = async (): Promise<Ended> => {
    const [code, signal] = (await once(child, 'close')) as [Ended['code'], Ended['signal']];
    started.delete(child);
    return { code, signal, output };
  };
  const ended = end();
  return { child, ended, output: () => output };
}

/** Waits until the process says where it serves. Rejects if it ends before that. */
export async function served(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const { child, ended, output } = node(args, { PORT: '0', ...settings });
  const said = new Promise<string>((resolve) => {
    child.on('output', () => {
      const [, url] = /(http:\/\/localhost:\d+)\//.exec(output()) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const over = ended.then((end) => {
    throw new Error(`it has ended: ${JSON.stringify(end)}`);
  });
  // After the process has served, its end is no failure.
  over.catch(() => undefined);
  const url = await Promise.race([said, over]);
  return {
    url,
    interrupt: async () => {
      child.kill('SIGINT');
      return ended;
    },
    terminate: async () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
