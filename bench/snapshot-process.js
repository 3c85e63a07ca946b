/** Applies two snapshots, evaluates all of their flags, and watches the event loop and the heap. */
import { FliptProvider } from 'openfeature-flipt-provider';

let last = 0;
let longest = 0;
let isWatching = false;
function turn() {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
  if (isWatching) setImmediate(turn);
}

/** The longest that the event loop stood still meanwhile. */
async function blockedBy(work) {
  longest = 0;
  last = performance.now();
  isWatching = true;
  setImmediate(turn);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isWatching = false;
  return longest;
}

function heapMb() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const provider = new FliptProvider({ evaluation: 'in-process', logger: quiet });
const changed = new Promise((resolve) => {
  provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED', resolve);
});
const before = heapMb();
const since = performance.now();
const firstBlock = await blockedBy(() => provider.initialize());
const firstMs = performance.now() - since;
const snapshotMb = heapMb() - before;
const evaluateAllBlock = await blockedBy(() => provider.evaluateAll({ targetingKey: 'user-1' }));
const compiledMb = heapMb() - before;
const nextBlock = await blockedBy(() => {
  provider.invalidate();
  return changed;
});
const getSnapshotBlock = await blockedBy(async () => provider.getSnapshot());
process.send({
  'first snapshot, ms': firstMs,
  'blocks at most': firstBlock,
  'all flags changed': nextBlock,
  evaluateAll: evaluateAllBlock,
  getSnapshot: getSnapshotBlock,
  'heap, MB': snapshotMb,
  'with all evaluated': compiledMb,
});
await provider.onClose();
process.disconnect();
