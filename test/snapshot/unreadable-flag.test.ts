import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { systemClock } from '../../src/base/time/clock.js';
import { readSnapshotText, snapshotObject, snapshotText } from '../../src/snapshot/text.js';
import { changedKeys, parsedJson, parsedText, readWhole, type ReadBody } from './bodies.fixture.js';
import { ORIGIN } from './origin.fixture.js';

const OK = { key: 'ok', type: 'BOOLEAN_FLAG_TYPE', enabled: true };
const STRING = 'STRING_CONSTRAINT_COMPARISON_TYPE';
const constrained = (more: object, key = 's') => ({
  rules: [{ segments: [{ key, constraints: [{ type: STRING, property: 'p', ...more }] }] }],
});

const reasons = ({ features }: ReadBody) =>
  Object.fromEntries([...features.unreadable].map(([key, { reason }]) => [key, reason]));
const withFlag = (flag: object) => parsedJson({ flags: [OK, { key: 'f', ...flag }] });

describe('a flag is unreadable, and the others count, with', () => {
  it.each<[string, object, string]>([
    ['a new type', { type: 'LIST_FLAG_TYPE' }, 'type: expected a flag of a known type, got "LIST_FLAG_TYPE"'],
    ['text for a truth value', { enabled: 'true' }, 'enabled: expected true or false, got a string'],
    ['rules that are no list', { rules: {} }, 'rules: expected a list, got an object'],
    [
      'a rollout of a new type',
      { type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ type: 'NEW_ROLLOUT_TYPE' }] },
      'rollouts[0].type: expected a rollout of a known type, got "NEW_ROLLOUT_TYPE"',
    ],
    [
      'a rollout without a threshold',
      { type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ type: 'THRESHOLD_ROLLOUT_TYPE' }] },
      'rollouts[0].threshold: missing',
    ],
    [
      'what v1 writes for a constraint on entity ids without the version header',
      constrained({ type: 'UNKNOWN_CONSTRAINT_COMPARISON_TYPE' }),
      'rules[0].segments[0].constraints[0].type: expected a comparison type, got "UNKNOWN_CONSTRAINT_COMPARISON_TYPE"',
    ],
    [
      'a constraint without a type',
      constrained({ type: undefined }),
      'rules[0].segments[0].constraints[0].type: missing',
    ],
    [
      'an operator that no type has',
      constrained({ operator: 'semver_gte' }),
      'rules[0].segments[0].constraints[0].operator: expected an operator, got "semver_gte"',
    ],
    [
      'a match type of a features file',
      { rules: [{ segments: [{ key: 's', matchType: 'ALL_MATCH_TYPE' }] }] },
      'rules[0].segments[0].matchType: expected a number, ALL_SEGMENT_MATCH_TYPE or ANY_SEGMENT_MATCH_TYPE, got "ALL_MATCH_TYPE"',
    ],
    [
      'a list for an object',
      { defaultVariant: [{ key: 'a' }] },
      'defaultVariant: expected an object, got a list',
    ],
    [
      'a number for text',
      constrained({ value: 5 }),
      'rules[0].segments[0].constraints[0].value: expected text, got a number',
    ],
    [
      'a share in words',
      { rules: [{ distributions: [{ rollout: '50' }] }] },
      'rules[0].distributions[0].rollout: expected a number, got a string',
    ],
    [
      'copies of a rule that share their distributions in no way',
      {
        rules: [
          { id: 'r', distributions: [{}] },
          { id: 'r', distributions: [{}] },
        ],
      },
      'rules: a rule is listed 2 times, but has 1 distributions',
    ],
  ])('%s', async (_what, flag, reason) => {
    const parsed = await withFlag(flag);

    expect(reasons(parsed)).toEqual({ f: reason });
    expect([...parsed.features.flags.keys()]).toEqual(['ok']);
    expect([...parsed.flags.keys().keys()]).toEqual(['ok', 'f']);
  });

  it('and its reason holds no value of a segment, because it goes to a log', async () => {
    const texts = ['alice@example.org', 'Uvg4h2TqX0cK3pJtWzLr', 'x'.repeat(100), '\u001b[31m', '\u202e'];
    for (const more of texts.flatMap((text) => [{ type: text }, { operator: text }])) {
      const parsed = await withFlag(constrained({ value: 'alice@example.org', ...more }));

      expect(reasons(parsed).f).toMatch(/expected an? .*, got a string$/);
    }
  });

  it('even if it is the only flag', async () => {
    expect(reasons(await parsedJson({ flags: [{ key: 'f', enabled: 1 }] }))).toHaveProperty('f');
  });

  it('or a segment that cannot be read: each flag that uses it, and no other', async () => {
    const semver = { type: 'SEMVER_CONSTRAINT_COMPARISON_TYPE', operator: 'gt', value: '1.2.3' };
    const rollouts = [
      { type: 'SEGMENT_ROLLOUT_TYPE', segment: { segments: constrained(semver).rules[0]?.segments } },
    ];
    const parsed = await parsedJson({
      flags: [
        OK,
        { key: 'one', ...constrained(semver) },
        { key: 'two', ...constrained({ operator: 'eq', value: 'x' }) },
        { key: 'three', type: 'BOOLEAN_FLAG_TYPE', rollouts },
      ],
    });

    expect(Object.keys(reasons(parsed))).toEqual(['one', 'three']);
    expect([...parsed.features.flags.keys()]).toEqual(['ok', 'two']);
  });
});

describe('a flag stays readable with', () => {
  it.each<[string, object]>([
    ['an operator of another type', { operator: 'gt' }],
    ['no operator', {}],
    ['an operator that is null', { operator: null }],
  ])('%s, which never matches', async (_what, more) => {
    const { features } = await withFlag({ enabled: true, ...constrained({ value: 'x', ...more }) });
    const question = { namespace: 'default', flag: 'f', entity: 'ann', attributes: { p: 'x' } };

    expect(features.unreadable.size).toBe(0);
    expect(evaluate(compileFeatures(features, 'v1'), question)).toMatchObject({ match: false });
  });

  it('the number of an enum that has no name', async () => {
    const rule = { segmentOperator: 9, segments: [{ key: 's', matchType: 9 }] };

    expect((await withFlag({ rules: [rule] })).features.unreadable.size).toBe(0);
  });
});

describe('an unreadable flag', () => {
  const CHANGING = {
    key: 'f',
    name: 'A name',
    description: 'of a flag',
    type: 'LIST_FLAG_TYPE',
    createdAt: '2026-01-01T00:00:00Z',
    rules: [
      {
        id: 'r1',
        rank: 1,
        segments: [
          {
            key: 'a',
            updatedAt: '2026-01-01T00:00:00Z',
            constraints: [{ id: 'c', value: '1' }, { value: '2' }],
          },
          { key: 'b' },
        ],
        distributions: [
          { variantId: 'v1', ruleId: 'r1', variantKey: 'x', rollout: 50 },
          { variantId: 'v2', ruleId: 'r1', variantKey: 'y', rollout: 50 },
        ],
      },
    ],
  };
  const edited = (edit: (flag: typeof CHANGING) => unknown) => {
    const flag = structuredClone(CHANGING);
    edit(flag);
    return flag;
  };
  const changed = async (after: object) => {
    const of = (flag: object) => parsedJson({ flags: [OK, flag] });
    return changedKeys(await of(CHANGING), await of(after));
  };

  it.each<[string, (flag: typeof CHANGING) => unknown]>([
    ['its type', (flag) => (flag.type = 'MAP_FLAG_TYPE')],
    ['the order of shares', ({ rules: [rule] }) => rule?.distributions.reverse()],
    ['the value of a constraint', ({ rules: [rule] }) => rule?.segments[0]?.constraints?.pop()],
    ['a rank', ({ rules: [rule] }) => rule && (rule.rank = 2)],
  ])('has changed with %s', async (_what, edit) => {
    expect(await changed(edited(edit))).toEqual(['f']);
  });

  it('changes when it becomes readable, and back', async () => {
    const one = await withFlag({ enabled: 'yes' });
    const two = await withFlag({ enabled: true });

    expect(await changedKeys(one, two)).toEqual(['f']);
    expect(await changedKeys(two, one)).toEqual(['f']);
  });

  const LONG = 'x'.repeat(1024 * 1024);
  it.each<[string, string, string]>([
    ['no JSON', '"enabled":', 'the flag: not JSON'],
    ['more than 1 MB', `"name":"${LONG}"`, 'the flag: more than 1048576 bytes'],
    ['two keys', '"key":"g"', 'key: this member is listed twice'],
    [
      'no flag at all, nested 40,000 levels deep',
      `"type":"DEEP","x":${'['.repeat(40_000)}${']'.repeat(40_000)}`,
      'type: expected a flag of a known type, got "DEEP"',
    ],
  ])(
    'with %s concerns itself alone, and is kept and given away as an unreadable one',
    async (_what, more, reason) => {
      const body = (other: boolean) => `{"flags":[{"key":"ok","enabled":${other}},{"key":"f",${more}}]}`;
      const parsed = await parsedText(body(true));
      expect(reasons(parsed)).toEqual({ f: reason });
      expect([...parsed.features.flags.keys()]).toEqual(['ok']);
      expect(await changedKeys(parsed, await parsedText(body(false)))).toEqual(['ok']);

      const confirmed = { snapshot: parsed, etag: undefined, confirmedAt: systemClock.now() };
      const text = await snapshotText(confirmed, ORIGIN, systemClock);
      const kept = readWhole((await readSnapshotText(text, ORIGIN, systemClock)).snapshot);
      expect(reasons(kept)).toEqual({ f: reason });
      expect(await changedKeys(parsed, kept)).toEqual([]);
      const given = await parsedJson(await snapshotObject(confirmed, ORIGIN, systemClock));
      expect(Object.keys(reasons(given))).toEqual(['f']);
    },
  );
});
