import { describe, expect, it } from 'vitest';
import { ofrep, type OfrepOptions } from '../../../src/adapters/ofrep/index.js';
import type { FlagOutcome } from '../../../src/index.js';
import { localService, open } from '../../provider/open.fixture.js';
import { ask, hosted, HOSTS } from './hosts.fixture.js';
import { conforming } from './protocol.fixture.js';

type Values = OfrepOptions<Request>['values'];

const OBJECT = { projects: 3, support: { by: ['forum', 'mail'] } };

/** The variant's key, its attachment as Flipt keeps it, and what `typed` gives. */
const VARIANTS: readonly (readonly [key: string, attachment: string | undefined, value: unknown])[] = [
  ['free', JSON.stringify(OBJECT), OBJECT],
  ['list', '[1,"two",{}]', [1, 'two', {}]],
  ['empty', '{}', {}],
  ['third', '0.333', 0.333],
  ['none', '0', 0],
  // On the server, a key that is a number comes first.
  ['10', '20', 10],
  ['10', '{"a":1}', { a: 1 }],
  ['10', undefined, '10'],
  ['red', undefined, 'red'],
  ['red', '"text"', 'red'],
  ['red', 'true', 'red'],
  ['red', 'null', 'red'],
  ['red', '1e400', 'red'],
  ['red', '{"not json"', 'red'],
  // A page that merges it must not change a prototype.
  ['own', '{"__proto__":{"admin":true},"a":1}', { a: 1 }],
  // Too deep to be written again.
  ['deep', `${'['.repeat(9_000)}${']'.repeat(9_000)}`, 'deep'],
];

const outcomes = new Map<string, FlagOutcome>(
  VARIANTS.map(([value, attachment], at) => [
    `flag-${at}`,
    { type: 'variant', value, reason: 'TARGETING_MATCH', ...(attachment !== undefined && { attachment }) },
  ]),
);
outcomes.set('on', { type: 'boolean', value: true, reason: 'DEFAULT' });
outcomes.set('nobody', { type: 'variant', value: null, reason: 'DEFAULT' });
outcomes.set('broken', { type: 'failed', errorCode: 'GENERAL' as never });

/** Asks a handler with these outcomes; its answer conforms to the protocol. */
async function asked(values: Values, flagKey?: string) {
  const handler = ofrep({
    values,
    context: () => ({ targetingKey: 'ada' }),
    flags: [...outcomes.keys()],
    provider: {
      evaluateEach: async (_, keys) =>
        Promise.resolve(new Map([...outcomes].filter(([key]) => [...(keys as string[])].includes(key)))),
    },
  });
  const path = flagKey === undefined ? '' : `/${flagKey}`;
  const url = `http://app/ofrep/v1/evaluate/flags${path}`;
  const response = await handler(new Request(url, { method: 'POST', body: '{}' }));
  Object.defineProperty(response, 'url', { value: url });
  return conforming(response);
}

const flagsOf = (body: unknown) => (body as { flags: readonly Record<string, unknown>[] }).flags;

describe('typed values', () => {
  it.each(VARIANTS.map(([key, attachment, value], at) => ({ key, attachment, value, at })))(
    'are $value for the variant $key with $attachment',
    async ({ key, value, at }) => {
      const { body } = await asked('typed', `flag-${at}`);
      expect(body).toMatchObject({ value, variant: key, reason: 'TARGETING_MATCH' });
      expect(flagsOf((await asked('typed')).body)[at]).toEqual(body);
    },
  );

  it('hold the attachment once: as the value, or else as text beside the key', async () => {
    expect((await asked('typed', 'flag-0')).body).not.toHaveProperty('metadata');
    expect((await asked('typed', 'flag-9')).body).toHaveProperty('metadata.attachment', '"text"');
  });

  it('leave boolean flags, flags without a variant and flags without an answer as they are', async () => {
    const plain = flagsOf((await asked('key')).body).slice(VARIANTS.length);
    expect(plain.map(({ key }) => key)).toEqual(['on', 'nobody', 'broken']);
    expect(flagsOf((await asked('typed')).body).slice(VARIANTS.length)).toEqual(plain);
  });

  it("are not the default: that is the variant's key", async () => {
    const keys = VARIANTS.map(([key]) => key);
    for (const values of [undefined, 'key'] as const) {
      const found = flagsOf((await asked(values)).body).slice(0, keys.length);
      expect(found.map(({ value }) => value)).toEqual(keys);
    }
  });

  it('are given for the flags that a function names, and the tag tells', async () => {
    const byFlag = await asked((flagKey) => (flagKey === 'flag-3' ? 'typed' : 'key'));
    expect(flagsOf(byFlag.body)[0]).toMatchObject({ value: 'free' });
    expect(flagsOf(byFlag.body)[3]).toMatchObject({ value: 0.333 });
    const tags = [await asked('key'), await asked('typed'), byFlag].map(({ headers }) => headers.get('etag'));
    expect(new Set(tags).size).toBe(3);
  });

  it.each<[string, unknown]>([
    ['a promise', Promise.resolve('typed')],
    ['undefined', undefined],
    ['a string', 'object'],
  ])('reject with a TypeError if the function gives %s', async (got, kind) => {
    const message = `ofrep: values("flag-0"): expected 'key' or 'typed', got ${got}`;
    await expect(asked(() => kind as 'key')).rejects.toThrow(new TypeError(message));
    await expect(asked(() => kind as 'key', 'flag-0')).rejects.toThrow(new TypeError(message));
  });

  it.each(HOSTS)("are the server's own values for the same type, %s", async (_, host) => {
    const variant = { enabled: true, rules: [] };
    const features = {
      flags: [
        { key: 'limits', ...variant, variants: [{ key: 'free', default: true, attachment: OBJECT }] },
        { key: 'share', ...variant, variants: [{ key: 'third', default: true, attachment: 0.333 }] },
        { key: 'size', ...variant, variants: [{ key: '10', default: true, attachment: 20 }] },
      ],
    };
    const service = await localService({ features });
    const { client, provider } = await open({ url: service.url });
    const flags = ['limits', 'share', 'size'];
    const url = await hosted(host, { provider, flags, values: 'typed' });
    const [limits, share, size] = flagsOf((await ask(url)).body).map(({ value }) => value);
    expect(limits).toEqual(await client.getObjectValue('limits', {}));
    expect([share, size]).toEqual([
      await client.getNumberValue('share', -1),
      await client.getNumberValue('size', -1),
    ]);
  });
});
