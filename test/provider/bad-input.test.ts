import type { EvaluationContext } from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FliptProvider } from '../../src/index.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { answering, item, itemsOf, orMissing } from '../servers/scripted.fixture.js';
import { questionsTo } from '../servers/questions-to.fixture.js';
import { FEATURES } from './features.fixture.js';
import { flipt, localService, open, serving } from './open.fixture.js';

const cyclic: Record<string, unknown> = { name: 'loop' };
cyclic.self = [cyclic];

const throwing = {
  get secret(): string {
    throw new Error('no access');
  },
};

describe('a context', () => {
  let shared: LocalService;
  beforeAll(async () => {
    shared = await startLocalService({ features: FEATURES });
  });
  afterAll(() => shared.close());

  it.each<[string, unknown, RegExp]>([
    ['with a cycle', cyclic, /^context attribute "it": .*circular/i],
    ['with an invalid Date', new Date(NaN), /^context attribute "it": an invalid Date$/],
    ['with a getter that throws inside a value', throwing, /^context attribute "it": no access$/],
    ['with a getter that throws deeper still', [{ deep: throwing }], /^context attribute "it": no access$/],
    [
      'with a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('no JSON');
        },
      },
      /^context attribute "it": no JSON$/,
    ],
  ])('%s is INVALID_CONTEXT for its caller, and for nobody else', async (_, value, message) => {
    const provider = flipt({ url: shared.url });
    const bad = provider.resolveBooleanEvaluation('on', false, { it: value } as EvaluationContext);
    const good = provider.resolveBooleanEvaluation('on', false, { it: 'fine' });
    expect(await bad).toMatchObject({
      value: false,
      reason: 'ERROR',
      errorCode: 'INVALID_CONTEXT',
      errorMessage: expect.stringMatching(message) as unknown,
    });
    expect(await good).toMatchObject({ value: true });
    await provider.onClose();
  });

  it.each<[string, () => EvaluationContext]>([
    ['with bigints', () => ({ n: 12345678901234567890n, list: [1n] }) as unknown as EvaluationContext],
    ['without prototype', () => Object.assign(Object.create(null) as EvaluationContext, { a: 1 })],
    [
      'with attributes called as what objects have',
      () => JSON.parse('{"__proto__":"x","constructor":"y"}') as EvaluationContext,
    ],
    [
      'with what is left out',
      () => ({ a: NaN, b: undefined, c: null, d: () => 1, e: Symbol('s') }) as unknown as EvaluationContext,
    ],
    [
      'with 10,000 attributes',
      () => Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name-${10_000 - at}`, at])),
    ],
    ['with a string of 1 MB', () => ({ page: 'x'.repeat(1_000_000) })],
    ['with lone surrogates', () => ({ targetingKey: '\ud800', '\udfff': 'a\ud800b' })],
    ['with control characters', () => ({ targetingKey: '\u0000', a: '\r\n\u2028\u001b' })],
    ['with a targetingKey that is no string', () => ({ targetingKey: 7 as unknown as string })],
  ])('%s is still sent to the service', async (_, context) => {
    const { client } = await open({ url: shared.url });
    expect(await client.getBooleanDetails('on', false, context())).toMatchObject({
      value: true,
      variant: 'true',
    });
    expect(await client.getBooleanDetails('on', false)).toMatchObject({ value: true });
  });

  it('of more than 64 kB is answered, but not kept', async () => {
    const service = await localService({ features: FEATURES });
    const { client } = await open({ url: service.url, watch: false });
    const questions = questionsTo(service);
    for (let time = 0; time < 2; time++) {
      expect(await client.getBooleanDetails('on', false, { page: 'x'.repeat(70_000) })).toMatchObject({
        reason: 'DEFAULT',
      });
    }
    expect(questions()).toBe(2);
  });

  it('larger than a request may be is INVALID_CONTEXT, names the attribute, and does not hold up the others', async () => {
    const server = await serving(answering(orMissing(({ flagKey }) => item.boolean(flagKey))));
    const { client } = await open({ url: server.url });
    const page = 'x'.repeat(1024 * 1024);
    const [a, b, c] = await Promise.all([
      client.getBooleanValue('a', false),
      client.getBooleanDetails('b', false, { page, plan: 'pro' }),
      client.getBooleanValue('c', false),
    ]);
    expect([a, c]).toEqual([true, true]);
    expect(b).toMatchObject({
      errorCode: 'INVALID_CONTEXT',
      errorMessage: expect.stringMatching(
        /take 104\d{4} bytes.* at most 1048576 .*the attribute "page"$/,
      ) as unknown,
    });
    const sizes = server.requests.slice(1).map((request) => itemsOf(request).length);
    expect(sizes).toEqual([2]);
  });

  it('without a targetingKey, if one is required, is TARGETING_KEY_MISSING, and is not sent', async () => {
    const service = await localService({ features: FEATURES });
    const { client } = await open({ url: service.url, watch: false, targetingKey: 'required' });
    const questions = questionsTo(service);
    for (const context of [{}, { targetingKey: '' }]) {
      expect(await client.getBooleanDetails('on', false, context)).toMatchObject({
        value: false,
        errorCode: 'TARGETING_KEY_MISSING',
        errorMessage: expect.stringContaining('no targetingKey') as unknown,
      });
    }
    expect(questions()).toBe(0);
    expect(await client.getBooleanValue('on', false, { targetingKey: 'u' })).toBe(true);
  });
});

describe('a flag key', () => {
  it.each<[string, string]>([
    ['that is empty', ''],
    ['with slashes', '../../admin?x=1#y'],
    ['with newlines', 'a\r\nb: c'],
    ['with emoji', '\u{1F600}\u{1F468}\u200d\u{1F469}'],
    ['of 100 kB', 'k'.repeat(100_000)],
    ['with a lone surrogate', 'a\ud800'],
    ['called __proto__', '__proto__'],
  ])('%s is asked for as it is, and found or not', async (_, flagKey) => {
    const missing = await localService({ features: FEATURES });
    const { client } = await open({ url: missing.url });
    expect(await client.getBooleanDetails(flagKey, true)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
      flagKey,
    });
    const known = await serving(answering(({ flagKey: asked }) => item.boolean(asked, false)));
    const { client: second } = await open({ url: known.url });
    expect(await second.getBooleanDetails(flagKey, true)).toMatchObject({ value: false, reason: 'DEFAULT' });
    expect(itemsOf(known.requests.at(-1)!)[0]?.flagKey).toBe(flagKey.toWellFormed());
  });
});

it('a flag key that is not a string is an error that says so', async () => {
  const service = await localService({ features: FEATURES });
  const { client } = await open({ url: service.url, watch: false });
  for (const flagKey of [undefined, null, 5, {}]) {
    expect(await client.getBooleanDetails(flagKey as never, true)).toMatchObject({
      value: true,
      errorCode: 'GENERAL',
      errorMessage: 'the flag key is not a string',
    });
  }
});

describe('whatever comes in', () => {
  it.each<[string, (provider: FliptProvider) => Promise<{ errorCode?: string }>]>([
    ['no context', (provider) => provider.resolveStringEvaluation('colour', '', undefined as never)],
    ['a context of null', (provider) => provider.resolveStringEvaluation('colour', '', null as never)],
    ['a context of text', (provider) => provider.resolveStringEvaluation('colour', '', 'user-1' as never)],
    [
      'a context whose getter throws',
      (provider) =>
        provider.resolveStringEvaluation('colour', '', {
          get plan(): string {
            throw new Error('no access');
          },
        }),
    ],
    ['a flag key of undefined', (provider) => provider.resolveStringEvaluation(undefined as never, '', {})],
    ['a flag key that is a number', (provider) => provider.resolveStringEvaluation(5 as never, '', {})],
    [
      'a flag key that is a symbol',
      (provider) => provider.resolveStringEvaluation(Symbol() as never, '', {}),
    ],
  ])('%s: nothing is thrown, and nobody else is affected', async (_, resolve) => {
    const service = await localService({ features: FEATURES });
    const provider = flipt({ url: service.url });
    const [odd, other] = await Promise.all([
      resolve(provider),
      provider.resolveStringEvaluation('colour', '', { targetingKey: 'u' }),
    ]);
    expect(odd.errorCode ?? 'none').toMatch(/^(none|INVALID_CONTEXT|GENERAL)$/);
    expect(other).toMatchObject({ value: 'blue' });
    await provider.onClose();
  });
});
