/*
 * A service as it runs in production. You can copy this file. Environment variables set it up:
 *
 *   FLIPT_URL, FLIPT_TOKEN_FILE   where Flipt is, and a file with its token: the provider reads them by itself
 *   FLAGS_SNAPSHOT                a file on a volume that outlives the process
 *   PORT, METRICS_PORT            where the app and its metrics are served
 */
import type { AddressInfo } from 'node:net';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import { FliptProvider } from 'openfeature-flipt-provider';
import { flags } from 'openfeature-flipt-provider/express';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';
import { typed } from './flags.js';

const { PORT = '3000', METRICS_PORT = '9464', FLAGS_SNAPSHOT } = process.env;

const provider = new FliptProvider({
  // The provider evaluates in-process, so it sends no request for a new user, and gives the same answers while Flipt is
  // down.
  evaluation: 'in-process',
  // A new process starts with the last flags that any process on this volume has seen, even if Flipt is down.
  ...(FLAGS_SNAPSHOT && { snapshot: { file: FLAGS_SNAPSHOT } }),
});

// Prometheus scrapes http://localhost:9464/metrics.
const exporter = new PrometheusExporter({ port: Number(METRICS_PORT) });
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

// This path is for people and dashboards. Keep it inside your network, because the status quotes messages of gateways.
app.get('/internal/flags', (_req, res) => {
  res.json(provider.getStatus());
});

// From here on, OpenFeature knows who is asking, and all flags of a request come from one state.
app.use(flags({ context: (req) => ({ targetingKey: req.get('x-user') ?? 'anonymous' }) }));

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

// The server ends first, because requests that still run need their flags. OpenFeature then closes the provider, which
// saves the snapshot.
async function end(): Promise<void> {
  await OpenFeature.close();
  stopMetrics();
  await exporter.shutdown();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => void end());
    server.closeIdleConnections();
  });
}
