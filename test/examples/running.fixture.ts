import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const started = new Set<ChildProcess>();

// What a failed test has left behind. Not after each test: others of the file may run beside it.
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

export interface Running {
  /** Where it says that it serves. */
  readonly url: string;
  /** Ends it as Ctrl-C does. */
  readonly interrupt: () => Promise<Ended>;
  readonly kill: () => void;
}

/** Runs node as a user would, at the root, on the package as it is built, with no settings of Flipt but these. */
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

/** Waits until it says where it serves. Rejects if it ends before. */
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
  // Once it serves, its end is no failure.
  over.catch(() => undefined);
  const url = await Promise.race([said, over]);
  return {
    url,
    interrupt: async () => {
      child.kill('SIGINT');
      return ended;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
