import { fileURLToPath } from 'node:url';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { createApp } from './app.js';
import { resolveFlags } from './flags.js';
import { requestsSent } from './requests.js';
import { table } from './table.js';

const USERS = [
  { targetingKey: 'ada', plan: 'free' },
  { targetingKey: 'grace', plan: 'pro' },
  { targetingKey: 'linus', plan: 'free' },
];

const port = process.env.PORT || '3000';
if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
  console.error(`PORT: expected a number from 0 to 65535, got ${port}`);
  process.exit(1);
}

// A service of one's own is used where FLIPT_URL names it; otherwise one runs in this process.
const service = process.env.FLIPT_URL
  ? undefined
  : await startLocalService({ features: fileURLToPath(new URL('features.yml', import.meta.url)) });

const provider = new FliptProvider(service && { url: service.url });
// Not ready is no reason not to start: defaults are served until Flipt answers.
await OpenFeature.setProviderAndWait(provider).catch((error) => {
  console.error(`Flipt is not ready, defaults are served: ${error.message}`);
});

await printTable();
if (process.argv.includes('--once')) await close();
else serve();

async function printTable() {
  const client = OpenFeature.getClient();
  const before = requestsSent();
  const resolved = await Promise.all(USERS.map((user) => resolveFlags(client, user)));
  const requests = requestsSent() - before;
  const rows = resolved.flatMap((flags, index) =>
    Object.values(flags).map(({ flagKey, value, variant = '', reason }) => {
      const { targetingKey, plan } = USERS[index];
      return [targetingKey, plan, flagKey, JSON.stringify(value), variant, reason];
    }),
  );
  console.log(table(['user', 'plan', 'flag', 'value', 'variant', 'reason'], rows));
  console.log(`\n${rows.length} flags resolved with ${requests} HTTP request${requests === 1 ? '' : 's'}.`);
}

function serve() {
  const server = createApp().listen(Number(port));
  server.once('listening', () => {
    console.log(`\nhttp://localhost:${server.address().port}/?user=grace&plan=pro shows a user's page.`);
    console.log('Ctrl-C ends it.');
  });
  server.once('error', async (error) => {
    const inUse = error.code === 'EADDRINUSE';
    console.error(inUse ? `Port ${error.port} is in use already; PORT=… takes another.` : error.message);
    process.exitCode = 1;
    await close();
  });
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      server.close(close);
    });
}

async function close() {
  await OpenFeature.close();
  await service?.close();
}
