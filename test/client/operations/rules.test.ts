import { describe, expect, expectTypeOf, it } from 'vitest';
import type { NewRule } from '../../../src/client/index.js';
import { all, client, servedByItsOwn, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();

describe('rules', () => {
  it('makes rules for one segment and for several, and lists them by rank', async () => {
    const several = await client.rules.create('default', 'banner', {
      segmentKeys: ['staff', 'beta'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      rank: 3,
    });
    expect(several).toEqual({
      id: expect.any(String) as string,
      namespaceKey: 'default',
      flagKey: 'banner',
      segmentKey: '',
      segmentKeys: ['beta', 'staff'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      distributions: [],
      rank: 3,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    const one = await client.rules.create('default', 'banner', { segmentKey: 'staff', rank: 2 });
    expect(one).toMatchObject({
      segmentKey: 'staff',
      segmentKeys: [],
      segmentOperator: 'OR_SEGMENT_OPERATOR',
    });

    const { rules, totalCount, nextPageToken } = await client.rules.list('default', 'banner');
    expect({ totalCount, nextPageToken }).toEqual({ totalCount: 3, nextPageToken: '' });
    expect(rules.slice(1)).toEqual([one, several]);
    expect(rules[0]?.distributions[0]).toEqual({
      id: expect.any(String) as string,
      ruleId: rules[0]?.id,
      variantId: expect.any(String) as string,
      rollout: 100,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    expect((await client.rules.list('default', 'banner', { limit: 1, offset: 2 })).rules).toEqual([several]);
    expect(await all(client.rules.iterate('default', 'banner', { limit: 1 }))).toEqual(rules);
    expect(await all(client.rules.iterate('default', 'banner'))).toEqual(rules);
  });

  it('require one segment or several, and allow neither none nor both', () => {
    expectTypeOf<{ segmentKey: string; rank: number }>().toExtend<NewRule>();
    expectTypeOf<{ segmentKeys: readonly string[]; rank: number }>().toExtend<NewRule>();
    expectTypeOf<{ rank: number }>().not.toExtend<NewRule>();
    expectTypeOf<{ segmentKey: string; segmentKeys: string[]; rank: number }>().not.toExtend<NewRule>();
    expectTypeOf<{ segmentKey: string }>().not.toExtend<NewRule>();
  });
});
