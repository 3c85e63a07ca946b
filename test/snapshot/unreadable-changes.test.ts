import { describe, expect, it } from 'vitest';
import { changedKeys, parsedJson } from './bodies.fixture.js';

const withFlag = (flag: object) => parsedJson({ flags: [{ key: 'ok' }, { key: 'f', ...flag }] });

describe('an unreadable flag', () => {
  it.each<[string, object, object]>([
    ['a member of the flag', { startsAt: '2024' }, { startsAt: '2025' }],
    ['a member of a part', { schedule: { endsAt: '2024' } }, { schedule: { endsAt: '2025' } }],
    ['an id in an unknown place', { owner: { id: 'a' } }, { owner: { id: 'b' } }],
    ['another id of a rule', { rules: [{ experimentId: 'a' }] }, { rules: [{ experimentId: 'b' }] }],
    ['a name in an unknown place', { audience: [{ name: 'a' }] }, { audience: [{ name: 'b' }] }],
  ])('has changed with %s, of which this version knows nothing', async (_what, before, after) => {
    const [one, two] = [
      await withFlag({ type: 'NEW', ...before }),
      await withFlag({ type: 'NEW', ...after }),
    ];

    expect(await changedKeys(one, two)).toEqual(['f']);
  });

  it.each<[string, object]>([
    ['of a new type', { type: 'NEW' }],
    ['that is too long', { name: 'x'.repeat(2_000_000) }],
  ])('%s has not changed with new ids of v2, and has with other members', async (_what, large) => {
    const bodyWith = (flag: object) =>
      parsedJson({ flags: [{ key: 'ok' }, { key: 'f', ...large, ...flag }], digest: 'v2' });
    const ids = (id: string) => ({ rules: [{ id, distributions: [{ id, ruleId: id, variantId: id }] }] });
    const before = await bodyWith(ids('a'));
    expect(await changedKeys(before, await bodyWith(ids('b')))).toEqual([]);
    expect(await changedKeys(before, await bodyWith({ ...ids('a'), enabled: true }))).toEqual(['f']);
  });
});
