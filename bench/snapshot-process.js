/**
 * Applies two snapshots, evaluates all of their flags, and measures how long the event loop is blocked and how large
 * the heap is.
 */
import { built } from './built.js';
import { longestTurn } from './longest-turn.js';

const { FliptProvider } = await import(built);

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
const firstBlock = await longestTurn(() => provider.initialize());
const firstMs = performance.now() - since;
const snapshotMb = heapMb() - before;
const evaluateAllBlock = await longestTurn(() => provider.evaluateAll({ targetingKey: 'user-1' }));
const compiledMb = heapMb() - before;
const nextBlock = await longestTurn(() => {
  provider.invalidate();
  return changed;
});
const getSnapshotBlock = await longestTurn(async () => provider.getSnapshot());
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
