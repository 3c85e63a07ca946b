/**
 * The providers that `node bench/resolves.js` compares, by the names of their domains. The others are compared with the first
 * one.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InMemoryProvider } from '@openfeature/server-sdk';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { FliptProvider } from 'openfeature-flipt-provider';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';

/** The option `tracking` with one attribute, and a receiver that accepts everything. */
const tracking = { send() {}, attributes: ['plan'] };
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

export async function providersFor(url) {
  const providers = [
    ['constant', new ConstantProvider()],
    [
      'InMemoryProvider',
      new InMemoryProvider({
        'flag-0': { variants: { on: 'on', off: 'off' }, defaultVariant: 'on', disabled: false },
      }),
    ],
    ['cached', new FliptProvider({ url, logger: quiet })],
    ['cached + metrics', observed(new FliptProvider({ url, logger: quiet }))],
    ['cached + tracking', new FliptProvider({ url, tracking, logger: quiet })],
    ['cached + hook', hooked(new FliptProvider({ url, logger: quiet }))],
    ['in-process', new FliptProvider({ url, evaluation: 'in-process', logger: quiet })],
    ['in-process + tracking', new FliptProvider({ url, evaluation: 'in-process', tracking, logger: quiet })],
  ];
  const folder = process.env.FLIPT_CLIENT_JS;
  if (folder !== undefined) providers.push(['flipt-client-js', await fliptClientJs(folder, url)]);
  return providers;
}

/** Adds metrics of the real OpenTelemetry SDK, which a reader collects. */
function observed(provider) {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  observeProvider(provider, { meterProvider: new MeterProvider({ readers: [exporter] }) });
  return provider;
}

/** Adds a hook that finds exposures, as in examples/exposures, but keeps and sends none. */
function hooked(provider) {
  const seen = new Set();
  const after = ({ flagKey, context: { targetingKey } }, { variant }) => {
    if (targetingKey !== undefined && variant !== undefined)
      seen.add(`${flagKey} ${variant} ${targetingKey}`);
  };
  return Object.assign(provider, { hooks: [{ after }] });
}

/** Does only what every provider must do: it makes an answer with variant, reason and metadata for each call. */
class ConstantProvider {
  metadata = { name: 'constant' };
  runsOn = 'server';
  resolveStringEvaluation() {
    const flagMetadata = { flagSetId: 'default', source: 'constant' };
    return Promise.resolve({ value: 'on', variant: 'on', reason: 'STATIC', flagMetadata });
  }
}

/** Makes a provider of @flipt-io/flipt-client-js, which evaluates in WASM. It must be installed in the folder. */
async function fliptClientJs(folder, url) {
  const require = createRequire(join(folder, 'package.json'));
  const { FliptClient } = await import(pathToFileURL(require.resolve('@flipt-io/flipt-client-js/node')).href);
  const client = await FliptClient.init({ url, updateInterval: 0 });
  return {
    metadata: { name: 'flipt-client-js' },
    runsOn: 'server',
    onClose: async () => client.close(),
    async resolveStringEvaluation(flagKey, _defaultValue, { targetingKey, ...attributes }) {
      const context = {};
      for (const [name, value] of Object.entries(attributes)) context[name] = String(value);
      const { variantKey, reason, segmentKeys } = client.evaluateVariant({
        flagKey,
        entityId: targetingKey,
        context,
      });
      const flagMetadata = { flagSetId: 'default', segmentKeys: segmentKeys.join(',') };
      return { value: variantKey, variant: variantKey, reason, flagMetadata };
    },
  };
}
