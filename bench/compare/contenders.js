import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The providers that `node bench/compare/main.js` compares. Each is created with its defaults, apart from the address. */
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

async function ours(options) {
  const { FliptProvider } = await import('openfeature-flipt-provider');
  const { SNAPSHOT_FILE: file, STREAM } = process.env;
  const snapshot = file ? { snapshot: { file } } : {};
  const watch = STREAM ? { watch: { stream: true } } : {};
  return new FliptProvider({ ...options, ...snapshot, ...watch, logger: quiet });
}

export const CONTENDERS = {
  'this one, remote': (url) => ours({ url }),
  'this one, in-process': (url) => ours({ url, evaluation: 'in-process' }),
  '@openfeature/flipt-provider': async (url) => {
    const { FliptProvider } = await import('@openfeature/flipt-provider');
    return new FliptProvider('default', { url });
  },
  'flipt-client-js': fliptClientJs,
  '@openfeature/ofrep-provider': async (url) => {
    const { OFREPProvider } = await import('@openfeature/ofrep-provider');
    return new OFREPProvider({ baseUrl: url });
  },
  constant: async () => new ConstantProvider(),
};

/** The unit of cost: a provider that does only what every provider must do. */
class ConstantProvider {
  metadata = { name: 'constant' };
  runsOn = 'server';
  resolveStringEvaluation() {
    const flagMetadata = { flagSetId: 'default', source: 'constant' };
    return Promise.resolve({ value: 'on', variant: 'on', reason: 'STATIC', flagMetadata });
  }
}

/**
 * Makes a provider of flipt-client-js, which has none of its own. It is the thinnest possible: if no rule matches, the
 * caller gets the default, as OpenFeature demands. The client keeps no snapshot itself, but can return one and start
 * from one. If any options are given, its default `updateInterval` is off.
 */
async function fliptClientJs(url) {
  const { ErrorStrategy, FliptClient } = await import('@flipt-io/flipt-client-js/node');
  const { SNAPSHOT_FILE: file } = process.env;
  let client;
  const question = (flagKey, { targetingKey, ...attributes }) => {
    const context = {};
    for (const [name, value] of Object.entries(attributes)) context[name] = String(value);
    return { flagKey, entityId: targetingKey, context };
  };
  return {
    metadata: { name: 'flipt-client-js' },
    runsOn: 'server',
    async initialize() {
      const snapshot = file && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
      client = await FliptClient.init({
        url,
        updateInterval: 120,
        ...(file && { snapshot, errorStrategy: ErrorStrategy.Fallback }),
      });
      if (file) writeFileSync(file, client.getSnapshot());
    },
    onClose: async () => client?.close(),
    async resolveBooleanEvaluation(flagKey, _value, context) {
      const { enabled, reason } = client.evaluateBoolean(question(flagKey, context));
      return { value: enabled, reason };
    },
    async resolveStringEvaluation(flagKey, value, context) {
      const { variantKey, reason } = client.evaluateVariant(question(flagKey, context));
      const isDefault = variantKey === '' || reason === 'FLAG_DISABLED_EVALUATION_REASON';
      return isDefault ? { value, reason } : { value: variantKey, variant: variantKey, reason };
    },
  };
}
