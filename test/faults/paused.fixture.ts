/*
 * Another process runs this script. With a file, it ends after its first answer, as a quick start does. Without one, it
 * waits for SIGUSR2 like a function of AWS Lambda for an invocation, polls at SIGUSR1, and prints its flag.
 */
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from '../../src/index.js';

const [, , url = '', file] = process.argv;

async function main(): Promise<void> {
  const provider = new FliptProvider({
    url,
    ...(file === undefined
      ? { evaluation: 'in-process', watch: { pollMs: 3_600_000 } }
      : { snapshot: { file } }),
  });
  await OpenFeature.setProviderAndWait(provider);
  const client = OpenFeature.getClient();
  const value = () => client.getBooleanValue('sale', false, { targetingKey: 'ada' });
  console.log(`first ${await value()}`);
  if (file !== undefined) return;
  process.on('SIGUSR1', () => {
    provider.invalidate();
  });
  process.on('SIGUSR2', () => {
    void (async () => {
      const before = await value();
      await provider.refresh({ timeoutMs: 20_000 });
      console.log(`invoked ${before} ${await value()}`);
    })();
  });
  console.log('ready');
  setInterval(() => undefined, 60_000);
}
void main();
