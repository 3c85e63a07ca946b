/**
 * Plays traffic, an outage, lost flags, rejected credentials and the end of each, and prints the metrics as Prometheus
 * would read them. It ends by itself.
 */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';

// In an app, leave out preventServerStart. Prometheus then scrapes http://localhost:9464/metrics.
const exporter = new PrometheusExporter({ preventServerStart: true });
const meterProvider = new MeterProvider({ readers: [exporter] });

// An app has a server that keeps the process alive. The provider does not.
const alive = setInterval(() => {}, 60_000);
const features = fileURLToPath(new URL('features.yml', import.meta.url));
let service = await startLocalService({ features });
const { port } = new URL(service.url);
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
// These times are longer than the defaults, so that a busy computer does not look like an outage. In an app, keep the
// defaults.
const patient = { deadlineMs: 5000, http: { timeoutMs: 5000 } };
const provider = new FliptProvider({
  url: service.url,
  ...patient,
  breaker: { openForMs: 200 },
  logger: quiet,
});
const stop = observeProvider(provider, { meterProvider, perFlag: ['new-checkout'] });
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();

/** Each user loads a page with two flags, and loads it again. */
async function traffic(firstUser, users) {
  for (let user = firstUser; user < firstUser + users; user++) {
    const context = { targetingKey: `user-${user}` };
    for (let load = 0; load < 2; load++) {
      await Promise.all([
        client.getBooleanValue('new-checkout', false, context),
        client.getStringValue('greeting', 'hi', context),
      ]);
    }
  }
}

const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
async function scrape() {
  const { resourceMetrics } = await exporter.collect();
  return serializer.serialize(resourceMetrics);
}

/** Prints the lines of some metrics, without the labels that are the same everywhere. */
async function show(title, names) {
  const lines = (await scrape()).split('\n').filter((line) => names.test(line) && !/^#| 0$/.test(line));
  const shown = lines.map((line) => line.replace(/feature_flag_(provider_name|set_id)="[^"]*",?/g, ''));
  console.log(`${title}\n${shown.map((line) => `  ${line.replace('{}', '')}`).join('\n')}\n`);
}

const alert = async (name, isFiring) => {
  console.log(`  ${isFiring(await scrape()) ? 'FIRING' : 'quiet '}  ${name}`);
};
/** Prints which alerts of README.md fire, without the time for which their conditions must hold. */
async function alerts() {
  console.log('Alerts');
  await alert('FlagsNotServed', (text) => /^openfeature_flipt_condition\{[^}]*"error"[^}]*\} 1$/m.test(text));
  await alert('FliptCredentialsRejected', (text) =>
    /^openfeature_flipt_problems\{[^}]*"credentials-rejected"[^}]*\} 1$/m.test(text),
  );
  await alert('FliptLostItsFlags', (text) =>
    /^openfeature_flipt_problems\{[^}]*"flags-lost"[^}]*\} 1$/m.test(text),
  );
  await alert('FlagsStale', (text) => /^openfeature_flipt_condition\{[^}]*"stale"[^}]*\} 1$/m.test(text));
  await alert('FliptUnreachable', (text) =>
    /^openfeature_flipt_problems\{[^}]*"unreachable"[^}]*\} 1$/m.test(text),
  );
  await alert('FliptOverloaded', (text) => /^openfeature_flipt_questions_shed_total/m.test(text));
  console.log();
}

const becomes = (event) => new Promise((resolve) => client.addHandler(event, resolve));

await traffic(0, 20);
await show('All is well: 20 users, two flags, two loads', /resolves_total|cache_|requests_total|condition/);
await alerts();

// The snapshot arrives soon after the start. With the snapshot, new users get answers even during Flipt's outage.
while ((await provider.getSnapshot()) === undefined) await setTimeout(10);
const stale = becomes(ProviderEvents.Stale);
await service.close();
await traffic(20, 3);
await stale;
await traffic(0, 23);
await show('Flipt is down: known users get known answers', /resolves_total|requests_total|circuit|condition/);
await alerts();

const ready = becomes(ProviderEvents.Ready);
service = await startLocalService({ features, port: Number(port) });
await ready;
await show('Flipt is back', /circuit|condition/);
await alerts();

const lost = becomes(ProviderEvents.Stale);
await service.close();
// This Flipt answers, but has no flags, as after a restart with an empty database.
service = await startLocalService({ features: { flags: [] }, port: Number(port) });
await traffic(40, 3);
await lost;
await show('Flipt has lost its flags: its last ones stay in force', /problems|condition/);
await alerts();

const found = becomes(ProviderEvents.Ready);
await service.close();
service = await startLocalService({ features, port: Number(port) });
// The provider polls at once, so that nobody has to wait for the next poll.
provider.invalidate();
await found;
await alerts();

const rejected = becomes(ProviderEvents.Stale);
await service.close();
// Now Flipt requires a token that the provider does not have, as if the provider's token had been revoked.
service = await startLocalService({ features, port: Number(port), bootstrapToken: 'of-somebody-else' });
await traffic(50, 3);
await rejected;
await show('Flipt rejects the credentials: answers come from the snapshot', /problems|condition/);
await alerts();

const accepted = becomes(ProviderEvents.Ready);
await service.close();
service = await startLocalService({ features, port: Number(port) });
await accepted;
await alerts();

const { condition, requests } = provider.getStatus();
console.log('getStatus():', condition, requests);

stop();
clearInterval(alive);
await OpenFeature.close();
await meterProvider.shutdown();
await service.close();
