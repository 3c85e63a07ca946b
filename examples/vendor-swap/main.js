import { fileURLToPath } from 'node:url';
import { OpenFeature } from '@openfeature/server-sdk';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { createApp } from './app.js';
import { PROVIDERS } from './providers.js';

const name = process.env.PROVIDER ?? 'flipt';
if (!Object.hasOwn(PROVIDERS, name)) {
  console.error(`PROVIDER: expected one of ${Object.keys(PROVIDERS).join(', ')}, got ${name}`);
  process.exit(1);
}

const features = fileURLToPath(new URL('features.yml', import.meta.url));
const service = process.env.FLIPT_URL ? undefined : await startLocalService({ features });

const provider = PROVIDERS[name](process.env.FLIPT_URL ?? service?.url);
await OpenFeature.setProviderAndWait(provider).catch((error) => {
  console.error(`The provider is not ready, so the app gets defaults for now: ${error.message}`);
});

const server = createApp().listen(Number(process.env.PORT ?? 3000));
server.once('listening', () => {
  console.log(`http://localhost:${server.address().port}/ shows the flags of ${name}. Ctrl-C ends it.`);
});
server.once('error', async (error) => {
  const inUse = error.code === 'EADDRINUSE';
  console.error(inUse ? `Port ${error.port} is in use already; choose another with PORT=…` : error.message);
  process.exitCode = 1;
  await close();
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close(close);
  });

async function close() {
  await OpenFeature.close();
  await service?.close();
}
