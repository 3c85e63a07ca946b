import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from './own-environment.js';

/**
 * Runs a script of this folder in a process of its own, and resolves with what it sends when the process has ended.
 * Otherwise the end of the process would slow the next one down, and the close of its channel would end it with an
 * error.
 */
export function fromProcess(script, env, execArgv = ['--expose-gc'], execPath = process.execPath) {
  return new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL(script, import.meta.url));
    const child = fork(path, { env: { ...ownEnvironment, ...env }, execArgv, execPath });
    let sent;
    child.once('message', (message) => (sent = message));
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(sent) : reject(new Error(`${script} ended with ${code}`)),
    );
  });
}
