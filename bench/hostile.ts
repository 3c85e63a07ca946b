/**
 * Measures what hostile snapshots cost: the longest turn of the event loop, and the heap in relation to the size of the
 * body. It lists the worst ones, and exits with 1 if a body exceeds its budget of 100 ms, and of six times its size or
 * 64 MB.
 *
 *   npx tsx bench/hostile.ts                      500 bodies of up to 1 MB, and each kind with 16 and 60 MB
 *   BODIES=20000 LARGE=0 npx tsx bench/hostile.ts
 */
import { setImmediate } from 'node:timers/promises';
import { evaluate } from '../src/engine/compile.js';
import { cutBody } from '../src/snapshot/body.js';
import { snapshotOf } from '../src/snapshot/snapshot.js';
import { InvalidBody } from '../src/snapshot/wire.js';
import { systemClock } from '../src/base/time/clock.js';
import { hostileBody, NAMES, seeded } from '../test/snapshot/hostile-bodies.fixture.js';

const BODIES = Number(process.env.BODIES ?? 500);
const LARGE = (process.env.LARGE ?? '16,60')
  .split(',')
  .map(Number)
  .filter((size) => size > 0);
const MB = 1024 * 1024;
const MOST_MS = 100;
const MOST_HEAP = 64 * MB;

interface Cost {
  readonly name: string;
  readonly bytes: number;
  readonly turnMs: number;
  readonly heapBytes: number;
  readonly outcome: string;
}

async function costOf(name: string, body: Buffer): Promise<Cost> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let heap = before;
  let turnMs = 0;
  let since = 0;
  let cpu = process.cpuUsage();
  // While other processes use the processor, a turn takes longer than its work.
  const end = () => {
    const { user, system } = process.cpuUsage(cpu);
    turnMs = Math.max(turnMs, Math.min(performance.now() - since, (user + system) / 1000));
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  };
  const begin = () => {
    since = performance.now();
    cpu = process.cpuUsage();
  };
  const clock = {
    ...systemClock,
    endOfTurn: (run: () => void) => {
      end();
      systemClock.endOfTurn(() => {
        begin();
        run();
      });
    },
  };
  let outcome: string;
  await setImmediate();
  begin();
  try {
    const snapshot = await snapshotOf(await cutBody(body, clock), 'default', undefined, clock);
    end();
    const [flag = ''] = snapshot.flags.keys().keys();
    // As the background does.
    begin();
    await snapshot.flags.each(clock, () => true);
    end();
    begin();
    evaluate(snapshot.compiled, { namespace: 'default', flag, entity: 'user', attributes: { p: 'x' } });
    outcome = `${snapshot.flags.keys().size} flags, ${snapshot.flags.foundUnreadable.size} unreadable`;
  } catch (error) {
    if (!(error instanceof InvalidBody)) throw error;
    outcome = error.message;
  }
  end();
  return { name, bytes: body.length, turnMs, heapBytes: heap - before, outcome };
}

const isOver = ({ turnMs, heapBytes, bytes }: Cost) =>
  turnMs > MOST_MS || heapBytes > Math.max(MOST_HEAP, 6 * bytes);

const random = seeded(Number(process.env.SEED ?? 1));
const costs: Cost[] = [];
// All code must be compiled before the first body that counts.
for (const name of NAMES)
  await costOf(
    name,
    hostileBody(name, 100_000, () => 1),
  );
for (let n = 0; n < BODIES; n++) {
  const name = NAMES[n % NAMES.length] ?? '';
  costs.push(await costOf(name, hostileBody(name, Math.floor(10 ** (1 + random() * 5)), random)));
}
for (const size of LARGE) {
  for (const name of NAMES)
    costs.push(
      await costOf(
        name,
        hostileBody(name, size * MB, () => 1),
      ),
    );
}
const shown = ({ name, bytes, turnMs, heapBytes, outcome }: Cost) => ({
  kind: name,
  MB: (bytes / MB).toFixed(2),
  'longest turn, ms': Math.round(turnMs),
  'heap, MB': Math.round(heapBytes / MB),
  outcome: outcome.slice(0, 60),
});
const worst = (by: (cost: Cost) => number) => costs.toSorted((a, b) => by(b) - by(a)).slice(0, 12);
console.log(`${costs.length} hostile bodies (node ${process.version}): the longest turns`);
console.table(worst(({ turnMs }) => turnMs).map(shown));
console.log('the most memory');
console.table(worst(({ heapBytes }) => heapBytes).map(shown));
const over = costs.filter(isOver);
console.log(`${over.length} exceed the budget`);
process.exitCode = over.length > 0 ? 1 : 0;
