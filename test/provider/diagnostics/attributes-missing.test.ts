import { describe, expect, it } from 'vitest';
import type { FliptEvent, FliptProviderOptions } from '../../../src/index.js';
import { localService, starting, untilSnapshot } from '../open.fixture.js';

type Comparison = readonly [type: string, property: string, operator: string, value?: string];

const segment = (key: string, comparisons: readonly Comparison[]) => ({
  key,
  constraints: comparisons.map(([type, property, operator, value = '']) => ({
    type: `${type}_COMPARISON_TYPE`,
    property,
    operator,
    value,
  })),
});
const moderators = segment('moderators', [
  ['STRING', 'userId', 'eq', '7'],
  ['BOOLEAN', 'isModerator', 'true'],
]);
const flagFor = (key: string, ...segments: readonly string[]) => ({
  key,
  type: 'BOOLEAN_FLAG_TYPE' as const,
  enabled: false,
  rollouts: segments.map((name) => ({ segment: { key: name, value: true } })),
});

/** A provider that has its snapshot, of a flag X that compares userId and isModerator. */
async function withFlags(
  evaluation: 'remote' | 'in-process',
  features: object = {
    flags: [flagFor('X', 'moderators'), flagFor('Y', 'moderators')],
    segments: [moderators],
  },
  options: FliptProviderOptions = {},
) {
  const service = await localService({ features });
  const { logger, provider, registered } = starting({ url: service.url, evaluation, ...options });
  const events: FliptEvent[] = [];
  provider.onEvent((event) => events.push(event), ['attributes-missing']);
  await registered;
  await untilSnapshot(provider);
  let users = 0;
  const resolve = async (flag: string, times: number, attributes: object = {}) => {
    for (let at = 0; at < times; at++)
      await provider.resolveBooleanEvaluation(flag, false, {
        targetingKey: `user-${users++}`,
        ...attributes,
      });
  };
  const warnings = () => logger.warn.mock.calls.map(String).filter((line) => line.startsWith('flag '));
  return { service, provider, resolve, warnings, events };
}

const warning = (have: string) =>
  `flag "X" compares "userId", "isModerator", but the contexts of 20 resolves have ${have}: its segments may match nobody`;

describe.each(['remote', 'in-process'] as const)(
  'a flag whose attributes no context has, %s',
  (evaluation) => {
    it('is one warning after 20 resolves, and one event', async () => {
      const { resolve, warnings, events } = await withFlags(evaluation);
      await resolve('X', 19);
      expect([warnings(), events]).toEqual([[], []]);
      await resolve('X', 1);
      expect([warnings(), events]).toEqual([
        [warning('only the targetingKey')],
        [{ type: 'attributes-missing', flag: 'X' }],
      ]);
      await resolve('X', 50);
      expect(warnings()).toHaveLength(1);
      await resolve('Y', 20);
      expect(warnings()).toHaveLength(2);
    });

    it('names the attribute that was probably meant', async () => {
      const { resolve, warnings } = await withFlags(evaluation);
      await resolve('X', 20, { user_id: '7', plan: 'pro', 'is-moderator': true });
      const given =
        evaluation === 'remote' ? '"is-moderator", "plan", "user_id"' : '"user_id", "plan", "is-moderator"';
      expect(warnings()).toEqual([
        `${warning(given)}; should "user_id" be called "userId", and "is-moderator" be called "isModerator"?`,
      ]);
    });

    it('says that a rule cannot look inside an object', async () => {
      const { resolve, warnings } = await withFlags(evaluation);
      await resolve('X', 20, { user: { userId: '7', name: 'Ada' } });
      expect(warnings()).toEqual([
        `${warning('"user"')}; a rule cannot look inside "user": send "userId" itself`,
      ]);
    });

    it('counts each resolve of one user, whose answer is known after the first', async () => {
      const { resolve, warnings } = await withFlags(evaluation);
      await resolve('X', 19, { targetingKey: 'me' });
      expect(warnings()).toEqual([]);
      await resolve('X', 1, { targetingKey: 'me' });
      expect(warnings()).toHaveLength(1);
    });

    it('is fine for ever once a context has one of them', async () => {
      const { resolve, warnings } = await withFlags(evaluation);
      await resolve('X', 19);
      await resolve('X', 1, { isModerator: false });
      await resolve('X', 50);
      expect(warnings()).toEqual([]);
    });

    it('is judged again after it has changed', async () => {
      const features = { flags: [flagFor('X')], segments: [moderators] };
      const { service, provider, resolve, warnings } = await withFlags(evaluation, features);
      await resolve('X', 30);
      expect(warnings()).toEqual([]);
      const changed = new Promise((seen) => {
        provider.onEvent(seen, ['flags-changed']);
      });
      await service.load(JSON.stringify({ flags: [flagFor('X', 'moderators')], segments: [moderators] }));
      provider.invalidate();
      await changed;
      await resolve('X', 20);
      expect(warnings()).toHaveLength(1);
    });

    it.each<[string, readonly Comparison[]]>([
      [
        'only asks whether an attribute is there',
        [
          ['NUMBER', 'beta', 'present'],
          ['STRING', 'old', 'notempty'],
        ],
      ],
      ['compares only the entity', [['ENTITY_ID', 'entity', 'eq', 'user-1']]],
      ['has no segments', []],
    ])('is no warning if the flag %s', async (_, comparisons) => {
      const segments = [segment('some', comparisons)];
      const flags = [comparisons.length === 0 ? flagFor('X') : flagFor('X', 'some')];
      const { resolve, warnings } = await withFlags(evaluation, { flags, segments });
      await resolve('X', 30);
      expect(warnings()).toEqual([]);
    });

    it('is warned of for 20 flags at most', async () => {
      const flags = Array.from({ length: 25 }, (_, at) => flagFor(`f${at}`, 'moderators'));
      const { resolve, warnings } = await withFlags(evaluation, { flags, segments: [moderators] });
      for (const { key } of flags) await resolve(key, 20);
      expect(warnings()).toHaveLength(20);
    });
  },
);
