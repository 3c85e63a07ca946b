/** Measures how long a process takes until its first answer. The variable `CLIENT` says with which client. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { CLIENT, FLIPT_URL, FLIPT_PROVIDER, SNAPSHOT_FILE } = process.env;

/**
 * Imports the other provider, and the copy of OpenFeature that its own package has, as an app of ES modules does. If the
 * bench called `import()` with the path of the provider's CommonJS file, Node 20 would take 40 ms longer.
 */
async function other() {
  const path = join(FLIPT_PROVIDER, 'imported-by-the-bench.mjs');
  const exported =
    "export * from '@openfeature/server-sdk';\nexport { FliptProvider } from '@openfeature/flipt-provider';";
  writeFileSync(path, exported);
  const { OpenFeature, FliptProvider } = await import(pathToFileURL(path).href);
  return { OpenFeature, create: () => new FliptProvider('default', { url: FLIPT_URL }) };
}

async function ours() {
  const { OpenFeature } = await import('@openfeature/server-sdk');
  if (CLIENT === 'the SDK alone') return { OpenFeature };
  const { FliptProvider } = await import('openfeature-flipt-provider');
  const inProcess = CLIENT === 'remote' ? {} : { evaluation: 'in-process' };
  const file = CLIENT.endsWith('file') ? { snapshot: { file: SNAPSHOT_FILE } } : {};
  return { OpenFeature, create: () => new FliptProvider({ url: FLIPT_URL, ...inProcess, ...file }) };
}

const { OpenFeature, create } = await (CLIENT === '@openfeature/flipt-provider' ? other() : ours());
const importedMs = performance.now();
let answeredMs;
if (create !== undefined) {
  await OpenFeature.setProviderAndWait(create());
  const value = await OpenFeature.getClient().getBooleanValue('on', false, { targetingKey: 'user-1' });
  answeredMs = performance.now();
  if (!value) throw new Error(`${CLIENT} got the default`);
}
process.send({ importedMs, answeredMs, version: process.version });
await OpenFeature.close();
process.disconnect();
