/*
 * A service as it runs in production. You can copy this file. Environment variables set it up:
 *
 *   FLIPT_URL, FLIPT_TOKEN_FILE   where Flipt is, and a file with its token: the provider reads them by itself
 *   FLAGS_SNAPSHOT                a file on a volume that outlives the process
 *   SESSION_SECRET                signs the cookies of sessions
 *   PORT                          where the app is served
 *   ADMIN_PORT                    where metrics and the provider's status are served, for your network only
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import { FliptProvider } from 'openfeature-flipt-provider';
import { flags } from 'openfeature-flipt-provider/express';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';
import { typed } from './flags.js';
import { userOf } from './session.js';

const { PORT = '3000', ADMIN_PORT = '9464', FLAGS_SNAPSHOT } = process.env;

const provider = new FliptProvider({
  // The provider evaluates in-process, so it sends no request for a new user, and gives the same answers while Flipt is
  // down.
  evaluation: 'in-process',
  // A new process starts with the last flags that any process on this volume has seen, even if Flipt is down.
  ...(FLAGS_SNAPSHOT && { snapshot: { file: FLAGS_SNAPSHOT } }),
});

const exporter = new PrometheusExporter({ preventServerStart: true });
const stopMetrics = observeProvider(provider, { meterProvider: new MeterProvider({ readers: [exporter] }) });

// Without Flipt and without a kept snapshot, this waits for five seconds and rejects. The app starts nevertheless. It
// serves its defaults until Flipt answers, which the provider notices by itself.
await OpenFeature.setProviderAndWait(provider).catch((error: unknown) => {
  console.error('The flags are not ready, so the app starts with its defaults:', error);
});

const app = express();

// Use this path for both probes. It says whether this process can serve, and does not depend on Flipt.
app.get('/healthz', (_req, res) => {
  res.send('ok');
});

// From here on, OpenFeature knows who is asking, and all flags of a request come from one state. The user comes from
// the session that the server has signed, because anybody can send any other header.
app.use(
  flags({
    context: (req) => {
      const user = userOf(req.headers.cookie);
      return user === undefined ? {} : { targetingKey: user };
    },
  }),
);

app.get('/', async (req, res) => {
  const client = typed(req.flags);
  const isNew = await client.getBooleanValue('new-checkout', false);
  const banner = await client.getStringValue('banner', 'none');
  res.json({ checkout: isNew ? 'new' : 'old', banner });
});

const server = app.listen(Number(PORT), () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on port ${port}`);
});

// The status quotes messages of gateways, so it stays inside your network, as the metrics do.
const admin = createServer((req, res) => {
  if (req.url === '/metrics') exporter.getMetricsRequestHandler(req, res);
  else if (req.url === '/flags')
    res.setHeader('content-type', 'application/json').end(JSON.stringify(provider.getStatus()));
  else res.writeHead(404).end();
}).listen(Number(ADMIN_PORT), () => {
  const { port } = admin.address() as AddressInfo;
  console.log(`metrics and status on port ${port}`);
});

// The server ends first, because requests that still run need their flags. OpenFeature then closes the provider, which
// saves the snapshot.
async function end(): Promise<void> {
  await OpenFeature.close();
  stopMetrics();
  await exporter.shutdown();
  admin.close();
  admin.closeIdleConnections();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => void end());
    server.closeIdleConnections();
  });
}
