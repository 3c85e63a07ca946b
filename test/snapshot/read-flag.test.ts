import { expect, it } from 'vitest';
import { readFlag } from '../../src/snapshot/read-flag.js';
import { mapCallsOf } from '../map-calls.fixture.js';
import { parsedJson } from './bodies.fixture.js';

const MANY = 5_000;
const many = (item: (at: number) => object) => Array.from({ length: MANY }, (_, at) => item(at));

it('thousands of variants with one key are told apart in a few steps each', () => {
  const distributions = many((at) => ({ variantKey: 'a', variantAttachment: `${at}` }));
  const flag = { key: 'f', enabled: true, rules: [{ id: '1', distributions }] };
  let read: ReturnType<typeof readFlag> | undefined;
  const calls = mapCallsOf(() => {
    read = readFlag(Buffer.from(JSON.stringify(flag)), 'f', 'v2', new Map());
  });

  expect(read).toHaveProperty('variants.size', MANY);
  expect(calls).toBeLessThan(10 * MANY);
});

it('keeps the first rule without segments of each operator: it decides like all of them', async () => {
  const without = many((at) => ({
    segmentOperator: at % 2 === 0 ? 'OR_SEGMENT_OPERATOR' : 'AND_SEGMENT_OPERATOR',
  }));
  const last = { segments: [{ key: 'everybody' }], distributions: [{ variantKey: 'late', rollout: 100 }] };
  const ordersOf = async (rules: readonly object[]) => {
    const { features } = await parsedJson({ flags: [{ key: 'large', enabled: true, rules }] });
    const flag = features.flags.get('large');
    return flag?.type === 'VARIANT_FLAG_TYPE' ? flag.rules.map(({ segmentOperator }) => segmentOperator) : [];
  };

  expect(await ordersOf([...without, last])).toEqual([
    'OR_SEGMENT_OPERATOR',
    'AND_SEGMENT_OPERATOR',
    'OR_SEGMENT_OPERATOR',
  ]);
});

it('keeps no shares of 0 %: they give nothing', async () => {
  const distributions = [
    ...many(() => ({})),
    ...many(() => ({ variantKey: 'later', rollout: 0 })),
    { variantKey: 'now', rollout: 40 },
    { variantKey: 'now', rollout: 0 },
    { variantKey: 'later', variantAttachment: '1' },
    { rollout: 60 },
  ];
  const flags = [{ key: 'large', enabled: true, rules: [{ distributions }] }];
  const { features } = await parsedJson({ flags });
  const flag = features.flags.get('large');
  if (flag?.type !== 'VARIANT_FLAG_TYPE') expect.unreachable();

  const shares = flag.rules[0]?.distributions.map(({ variantId, rollout }) => {
    const { key, attachment } = flag.variants.get(variantId) ?? {};
    return [key, attachment, rollout];
  });
  expect(shares).toEqual([
    ['now', '', 40],
    ['', '', 60],
  ]);
});
