/**
 * What does one cached resolve cost, in CPU time, through the OpenFeature client?
 * Beside a provider that returns a constant (what the SDK itself costs) and the SDK's InMemoryProvider.
 * Each runs in a process of its own, in rotated order; medians over the rounds.
 *
 *   npm run bench            7 rounds of 500,000 resolves
 *   ROUNDS=3 RESOLVES=100000 npm run bench
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { features } from './features.js';

const SUBJECTS = ['constant', 'in-memory', 'flipt'];
const rounds = Number(process.env.ROUNDS ?? 7);
const resolves = Number(process.env.RESOLVES ?? 500_000);

const service = await startLocalService({ features, port: 0 });
const measured = Object.fromEntries(SUBJECTS.map((subject) => [subject, []]));
for (let round = 0; round < rounds; round++) {
  for (let turn = 0; turn < SUBJECTS.length; turn++) {
    const subject = SUBJECTS[(round + turn) % SUBJECTS.length];
    measured[subject].push(await run('subject.js', subject));
  }
}

const constant = medians('constant');
const rows = SUBJECTS.map((subject) => {
  const { oneByOne, together } = medians(subject);
  return {
    provider: subject,
    'one after another, CPU µs': oneByOne.toFixed(2),
    'of the constant': (oneByOne / constant.oneByOne).toFixed(2),
    '64 at once, CPU µs': together.toFixed(2),
    'of the constant ': (together / constant.together).toFixed(2),
  };
});
console.log(
  `One resolve, medians of ${rounds} rounds of ${resolves} warm resolves of 1,000 questions (node ${process.version})`,
);
console.table(rows);

const { requests, heapBytes } = await run('batch-and-memory.js');
console.log(`Ten flags asked at once for a new user: ${requests} HTTP request${requests === 1 ? '' : 's'}`);
console.log(`10,000 cached answers: ${(heapBytes / 1e6).toFixed(1)} MB of heap`);
await service.close();

function medians(subject) {
  const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
  return {
    oneByOne: median(measured[subject].map((round) => round.oneByOne)),
    together: median(measured[subject].map((round) => round.together)),
  };
}

function run(script, ...args) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(script, import.meta.url)), [...args, String(resolves)], {
      env: { ...process.env, FLIPT_URL: service.url },
      execArgv: ['--expose-gc'],
    });
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`${script} ended with ${code}`)));
  });
}
