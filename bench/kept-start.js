/** Measures how long a process takes until its first answer while Flipt is up, with or without a kept file. */
import { built } from './built.js';

const { FLIPT_URL, MODE, SNAPSHOT_FILE } = process.env;
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const { FliptProvider } = await import(built);
const startedMs = performance.now();
const provider = new FliptProvider({
  url: FLIPT_URL,
  evaluation: MODE,
  ...(SNAPSHOT_FILE && { snapshot: { file: SNAPSHOT_FILE } }),
  logger: quiet,
});
await provider.initialize();
await provider.resolveBooleanEvaluation('flag-1', false, { targetingKey: 'user-1' });
process.send({ 'first answer, ms': performance.now() - startedMs });
await provider.onClose();
process.disconnect();
