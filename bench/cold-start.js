/** Measures how long a process takes until its first answer. The variable `CLIENT` says with which client. */
import { existsSync, readFileSync } from 'node:fs';
import { built } from './built.js';

const { CLIENT, FLIPT_URL, SNAPSHOT_FILE, FLIPT_CLIENT_JS } = process.env;
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const FLAG = 'flag-1';

async function fliptClientJs() {
  const { createRequire } = await import('node:module');
  const { pathToFileURL } = await import('node:url');
  const { resolve } = createRequire(`${FLIPT_CLIENT_JS}/package.json`);
  const { FliptClient } = await import(pathToFileURL(resolve('@flipt-io/flipt-client-js/node')).href);
  const importedMs = performance.now();
  const client = await FliptClient.init({ url: FLIPT_URL, updateInterval: 0 });
  client.evaluateBatch([{ flagKey: FLAG, entityId: 'user-1', context: {} }]);
  return { importedMs, answeredMs: performance.now(), close: () => client.close() };
}

async function ours() {
  const { FliptProvider } = await import(built);
  const importedMs = performance.now();
  const provider = new FliptProvider({
    url: FLIPT_URL,
    evaluation: CLIENT === 'remote' ? 'remote' : 'in-process',
    snapshot: { file: SNAPSHOT_FILE },
    watch: CLIENT !== 'in-process, from a file',
    logger: quiet,
  });
  await provider.initialize();
  await provider.resolveBooleanEvaluation(FLAG, false, { targetingKey: 'user-1' });
  return { importedMs, answeredMs: performance.now(), close: () => provider.onClose() };
}

const startedMs = performance.now();
const { importedMs, answeredMs, close } = await (CLIENT === 'flipt-client-js' ? fliptClientJs() : ours());
/** On Linux, `maxRSS` includes the maximum of the process that started this one, so this file is read instead. */
const OWN_STATUS = '/proc/self/status';
const peakKb = existsSync(OWN_STATUS)
  ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(OWN_STATUS, 'utf8'))[1])
  : process.resourceUsage().maxRSS;
process.send({
  'import, ms': importedMs - startedMs,
  'first answer, ms': answeredMs - startedMs,
  'since the process began, ms': answeredMs,
  'peak RSS until then, MB': peakKb / 1e3,
});
await close();
process.disconnect();
