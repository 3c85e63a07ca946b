/*
 * Runs npm scripts side by side, one lane for each argument and one script after another within a lane:
 *
 *     node scripts/side-by-side.js lint format,types
 *
 * It prints the output of a script when the script has ended, so that outputs do not mix. The first failure ends all
 * lanes.
 */
import { spawn } from 'node:child_process';

const running = new Set();
let failed = false;

function ended(script) {
  const started = performance.now();
  // Each script has a process group of its own, so that the failure of another script also ends the processes that this
  // one has started.
  const child = spawn('npm', ['run', '--silent', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      if (failed) return resolve(false);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stdout.write(Buffer.concat(output));
      console.log(code === 0 ? `${script}: passed in ${seconds} s` : `${script}: FAILED`);
      resolve(code === 0);
    });
  });
}

function endAll() {
  failed = true;
  for (const { pid } of running) {
    try {
      process.kill(-pid);
    } catch {
      // The process has already ended by itself.
    }
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    endAll();
    process.exitCode = 1;
  });
}

const lanes = process.argv.slice(2).map(async (lane) => {
  for (const script of lane.split(',')) {
    if (failed) return;
    if (await ended(script)) continue;
    if (!failed) endAll();
    process.exitCode = 1;
    return;
  }
});
await Promise.all(lanes);
