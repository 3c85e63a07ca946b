import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import type { LocalServiceOptions } from '../../src/local/index.js';
import { eventually } from '../eventually.fixture.js';
import { FEATURES } from '../in-process/features.fixture.js';
import { flipt, localService, recordingLogger, register } from './open.fixture.js';

/** Returns the warnings that follow the first snapshot of a service. */
async function warningsOf(
  options: FliptProviderOptions,
  semantics: LocalServiceOptions['semantics'] = 'v1',
  features: LocalServiceOptions['features'] = FEATURES,
): Promise<readonly string[]> {
  const service = await localService({ features, semantics });
  const logger = recordingLogger();
  const provider = flipt({ url: service.url, evaluation: 'in-process', logger, ...options });
  await register(provider).registered;
  // Reads all flags, so that the advice comes in this turn.
  expect(await provider.getSnapshot()).toBeDefined();
  await new Promise(setImmediate);
  return logger.warn.mock.calls.map(([warning]) => String(warning));
}

describe('the first snapshot shows options that have no effect', () => {
  const V1 = 'Flipt v1 has no environments, so that the option environment has no effect: ';
  it.each<[FliptProviderOptions, 'v1' | 'v2', readonly string[]]>([
    [{ environment: 'default' }, 'v1', [`${V1}"default"`]],
    [{ environment: 'default', watch: { stream: true } }, 'v2', []],
    [
      { attributes: { only: ['Plan'] } },
      'v1',
      ['attributes.only names "Plan", but segments read "plan", which is not sent'],
    ],
    [
      { attributes: { only: ['pln'] } },
      'v2',
      ['attributes.only names "pln", but segments read "plan", which is not sent'],
    ],
    [{ attributes: { only: ['plan', 'Plan', 'country'] } }, 'v1', []],
    [{ attributes: { except: ['Plan'] } }, 'v1', []],
    [{}, 'v1', []],
  ])('%j with %s', async (options, semantics, warnings) => {
    expect(await warningsOf(options, semantics)).toEqual(warnings);
  });
});

it.each(['remote', 'in-process'] as const)(
  'a stream that a Flipt does not have is one warning, %s',
  async (evaluation) => {
    const service = await localService({ features: FEATURES, semantics: 'v1' });
    const logger = recordingLogger();
    const provider = flipt({ url: service.url, evaluation, logger, watch: { stream: true } });
    await register(provider).registered;
    await eventually(() => {
      expect(logger.warn.mock.calls.map(String)).toEqual([
        expect.stringMatching(/^watch\.stream has no effect, .*: 404/),
      ]);
    });
  },
);

it('waits until all flags have been read: one of the last may read the attribute', async () => {
  const reading = (key: string, property: string) => ({
    key,
    name: key,
    constraints: [{ type: 'STRING_COMPARISON_TYPE', property, operator: 'eq', value: 'pro' }],
  });
  const flag = (key: string, segment?: string) => ({
    key,
    name: key,
    description: 'x'.repeat(2_000),
    enabled: true,
    ...(segment !== undefined && { rules: [{ segment }] }),
  });
  const others = Array.from({ length: 200 }, (_, at) => flag(`f${at}`));
  const features = {
    namespace: 'default',
    flags: [flag('a', 'first'), ...others, flag('z', 'last')],
    segments: [reading('first', 'plans'), reading('last', 'plan')],
  };
  expect(await warningsOf({ attributes: { only: ['plan'] } }, 'v1', JSON.stringify(features))).toEqual([]);
});

describe('an attribute that JSON makes {} or quotes of', () => {
  class Price {
    readonly #cents = 5;
    cents() {
      return this.#cents;
    }
  }

  it.each<[string, unknown, boolean]>([
    ['a Set', new Set(['pro']), true],
    ['a Map', new Map(), true],
    ['a RegExp', /pro/, true],
    ['an Error', new Error('pro'), true],
    ['a URL', new URL('http://localhost'), true],
    ['an object with private fields', new Price(), true],
    ['a String object', Object('pro'), true],
    ['a Date', new Date(0), false],
    ['an empty object', {}, false],
    ['an empty object without a prototype', Object.create(null), false],
    ['an object', { plan: 'pro' }, false],
    ['a list', ['pro'], false],
    ['a text in quotes', '"pro"', false],
  ])('is warned of once, by its name: %s', async (_, value, isOdd) => {
    const service = await localService({ features: FEATURES });
    for (const evaluation of ['remote', 'in-process'] as const) {
      const logger = recordingLogger();
      const provider = flipt({ url: service.url, evaluation, logger });
      const { client, registered } = register(provider);
      await registered;
      for (let call = 0; call < 2; call++) {
        await client.getStringValue('colour', 'none', { targetingKey: 'ada', plan: value as string });
      }
      const warnings = logger.warn.mock.calls.map(([warning]) => String(warning));
      const named = expect.stringMatching(
        /^The context attribute "plan" is an object that JSON writes as/,
      ) as string;
      expect(warnings).toEqual(isOdd ? [named] : []);
    }
  });
});
