/** Measures the longest turn of the event loop in each thing that a provider does with a snapshot. */
import { FliptProvider } from 'openfeature-flipt-provider';
import { longestTurn } from './longest-turn.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const user = { targetingKey: 'user-1', plan: 'none' };
const provider = new FliptProvider({
  evaluation: 'in-process',
  logger: quiet,
  initTimeoutMs: 60_000,
  ...(process.env.SNAPSHOT_FILE && { snapshot: { file: process.env.SNAPSHOT_FILE } }),
});
const changed = () =>
  new Promise((resolve) => {
    provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED', ({ flagsChanged } = {}) => {
      if (flagsChanged !== undefined) resolve();
    });
  });
const first = await longestTurn(() => provider.initialize());
if (provider.getStatus().watch.version === null) {
  process.send({ first, close: await longestTurn(() => provider.onClose()), refused: true });
  process.exit();
}
const resolve = await longestTurn(() => provider.resolveStringEvaluation('flag-0', '', user));
const again = await longestTurn(() => provider.resolveStringEvaluation('flag-0', '', user));
const missing = await longestTurn(async () => {
  await provider.resolveStringEvaluation('flagg-0', '', user);
  await new Promise((done) => setTimeout(done, 100));
});
const next = await longestTurn(() => {
  const seen = changed();
  provider.invalidate(['nothing']);
  return seen;
});
const evaluateAll = await longestTurn(() => provider.evaluateAll(user));
const evaluateEach = await longestTurn(() => provider.evaluateEach(user, () => true));
const explain = await longestTurn(() => provider.explain('flag-0', user));
const getSnapshot = await longestTurn(async () => provider.getSnapshot());
const close = await longestTurn(() => provider.onClose());
process.send({
  first,
  next,
  resolve,
  again,
  missing,
  evaluateAll,
  evaluateEach,
  explain,
  getSnapshot,
  close,
});
process.disconnect();
