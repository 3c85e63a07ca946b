/** Measures how long a process takes until its first answer. The variable `CLIENT` says with which client. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { CLIENT, FLIPT_URL, FLIPT_PROVIDER, SNAPSHOT_FILE } = process.env;

/**
 * The provider, and the copy of OpenFeature that its own package has. They are imported as an app imports them that
 * consists of ES modules: Node 20 takes 40 ms longer for an `import()` of the provider's file in CommonJS.
 */
async function other() {
  const path = join(FLIPT_PROVIDER, 'imported-by-the-bench.mjs');
  const exported =
    "export * from '@openfeature/server-sdk';\nexport { FliptProvider } from '@openfeature/flipt-provider';";
  if (!existsSync(path)) writeFileSync(path, exported);
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
