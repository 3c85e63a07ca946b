import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * What a script of this folder sends in a process of its own. Resolves when the process has ended: what it still does
 * after its message would slow the next one down, and the close of the channel would end it with an error.
 */
export function fromProcess(script, env, execArgv = ['--expose-gc']) {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL(script, import.meta.url));
    const child = fork(path, { env: { ...process.env, ...env }, execArgv });
    let sent;
    child.once('message', (message) => (sent = message));
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(sent) : reject(new Error(`${script} ended with ${code}`)),
    );
  });
}
