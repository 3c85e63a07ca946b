import { inspect } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import type { FliptEvent, FliptProviderOptions } from '../../../src/index.js';
import { observeProvider } from '../../../src/adapters/opentelemetry/index.js';
import { flipt, localService, serving } from '../../provider/open.fixture.js';
import { answerJson, answering, item, orMissing, type Script } from '../../servers/scripted.fixture.js';
import { scraped, type Scraped } from './scraped.fixture.js';

/* The values that are planted as credentials, contexts and users must not be in any event or metric. */

const PLANTED = {
  token: 'planted-token',
  header: 'planted-header',
  user: 'planted-user',
  name: 'planted-name',
  value: 'planted-value',
  variant: 'planted-variant',
  attachment: 'planted-attachment',
};
const context = {
  targetingKey: PLANTED.user,
  [PLANTED.name]: PLANTED.value,
  nested: { deep: [PLANTED.value] },
};

let metrics: Scraped | undefined;
afterEach(() => metrics?.close());

const answered = answering(
  orMissing(({ flagKey }) =>
    flagKey === 'gone'
      ? item.missing(flagKey)
      : item.variant(flagKey, PLANTED.variant, {
          variantAttachment: JSON.stringify({ a: PLANTED.attachment }),
          segmentKeys: [PLANTED.value],
        }),
  ),
);
/** Repeats the whole request, like the error pages of some gateways. */
const echoing =
  (status: number, contentType = 'application/json'): Script =>
  ({ headers, body }, response) => {
    response.writeHead(status, { 'content-type': contentType, 'x-echo': PLANTED.value });
    response.end(JSON.stringify({ code: 3, message: `${JSON.stringify(headers)} ${body}` }));
  };
const wrongItems: Script = (_, response) => {
  answerJson(response, { responses: [item.variant(PLANTED.value, PLANTED.variant)] });
};
const itemErrors = answering(({ flagKey }) => ({
  type: 'ERROR_EVALUATION_RESPONSE_TYPE',
  errorResponse: { flagKey, namespaceKey: 'default', reason: `UNKNOWN_${PLANTED.value}` },
}));

/** Everything that the provider makes visible while it is asked for flags like this. */
async function visible(script: Script, options: FliptProviderOptions = {}): Promise<string> {
  metrics = scraped();
  const server = await serving(script, echoing(400));
  const provider = flipt({
    url: server.url,
    auth: { token: PLANTED.token },
    headers: { 'x-api-key': PLANTED.header },
    http: { retries: 1 },
    initTimeoutMs: 200,
    batch: { maxWaiting: 5, maxItems: 3 },
    ...options,
  });
  const events: FliptEvent[] = [];
  provider.onEvent((event) => events.push(event));
  const stop = observeProvider(provider, { meterProvider: metrics.meterProvider, perFlag: ['a', 'gone'] });
  await provider.initialize().catch(() => undefined);
  const flags = ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'gone'];
  await Promise.all(flags.map((flag) => provider.resolveObjectEvaluation(flag, {}, context)));
  await Promise.all(flags.map((flag) => provider.resolveBooleanEvaluation(flag, false, context)));
  await provider.evaluateAll(context).catch(() => undefined);
  const text = await metrics.text();
  stop();
  await provider.onClose();
  expect(events.map(({ type }) => type)).toContain('resolved');
  expect(text).toContain('openfeature_flipt_resolves_total');
  return `${JSON.stringify(events)}\n${inspect(events, { depth: 12 })}\n${text}`;
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  'answers all': answered,
  'answers something else': wrongItems,
  'fails single questions': itemErrors,
  'answers with a page': echoing(200, 'text/html'),
  'repeats the request with 400': echoing(400),
  'repeats the request with 401': echoing(401),
  'repeats the request with 403': echoing(403),
  'repeats the request with 500': echoing(500),
  'repeats the request with 503': echoing(503),
};

it.each(Object.keys(SCRIPTS))('nothing planted is visible when Flipt %s', async (name) => {
  const shown = await visible(SCRIPTS[name] ?? answered);
  for (const planted of Object.values(PLANTED)) expect(shown).not.toContain(planted);
});

it('nothing planted is visible when flags are evaluated in this process', async () => {
  const segment = {
    key: 'planted-segment',
    match_type: 'ANY_MATCH_TYPE',
    constraints: [
      { type: 'STRING_COMPARISON_TYPE', property: PLANTED.name, operator: 'eq', value: PLANTED.value },
    ],
  } as const;
  const service = await localService({
    features: {
      segments: [segment],
      flags: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => ({
        key,
        type: 'VARIANT_FLAG_TYPE' as const,
        enabled: true,
        variants: [{ key: PLANTED.variant, attachment: { a: PLANTED.attachment } }],
        rules: [{ segment: segment.key, distributions: [{ variant: PLANTED.variant, rollout: 100 }] }],
      })),
    },
  });
  const shown = await visible(answered, {
    url: service.url,
    evaluation: 'in-process',
    initTimeoutMs: 20_000,
  });
  expect(shown).toContain('openfeature_flipt_source="in-process"');
  for (const planted of Object.values(PLANTED)) expect(shown).not.toContain(planted);
});
