import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** The runtimes that run a module as a process: program, arguments before the module, and words of its version. */
export const RUNTIMES = {
  node: { title: 'Node.js', args: [] },
  bun: { title: 'Bun', args: [] },
  deno: { title: 'Deno', args: ['run', '--allow-all', '--no-prompt'] },
};

/** Milliseconds for all steps. */
const MOST_MS = 240_000;

/** Runs the steps as a process of a runtime, which must end by itself. */
export async function inProcess(name, folder) {
  const { title, args } = RUNTIMES[name];
  const program = name === 'node' ? process.execPath : join(folder, 'node_modules/.bin', name);
  const started = spawn(program, [...args, 'smoke.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MOST_MS,
  });
  const results = [];
  createInterface(started.stdout).on('line', (line) => results.push(JSON.parse(line)));
  const [code, signal] = await once(started, 'close');
  const failure = code === 0 ? undefined : `it ended with ${signal ?? code}`;
  results.push({ name: 'the process ends by itself, without an error', failure });
  return { title: `${title} ${versionOf(program)}`, results };
}

/** `v20.20.2` or `deno 2.9.6 (…)`, without the words. */
export function versionOf(program, args = []) {
  const words = execFileSync(program, [...args, '--version'], { encoding: 'utf8' });
  return /\d+[\d.-]+/.exec(words)?.[0] ?? '';
}
