import { describe, expect, it } from 'vitest';
import { parseSnapshot } from '../../src/snapshot/body/parse-snapshot.js';
import { bodyText } from '../../src/snapshot/body/write-body.js';
import { snapshotOf } from '../../src/snapshot/snapshot.js';
import { mapCallsOf } from '../map-calls.fixture.js';

const MANY = 5_000;
const many = (item: (at: number) => object) => Array.from({ length: MANY }, (_, at) => item(at));
const constraint = {
  type: 'STRING_CONSTRAINT_COMPARISON_TYPE',
  property: 'plan',
  operator: 'eq',
  value: 'x',
};

function counting() {
  let turns = 0;
  return {
    turns: () => turns,
    clock: {
      now: () => 0,
      date: () => 0,
      after: () => expect.unreachable(),
      endOfTurn(run: () => void) {
        turns++;
        setImmediate(run);
      },
    },
  };
}

describe.each<[string, object]>([
  [
    'rules',
    { rules: many((at) => ({ id: `${at}`, segments: [{ key: `${at}`, constraints: [constraint] }] })) },
  ],
  ['segments', { rules: [{ segments: many((at) => ({ key: `${at}` })) }] }],
  ['constraints', { rules: [{ segments: [{ key: 's', constraints: many(() => constraint) }] }] }],
  ['distributions', { rules: [{ distributions: many((at) => ({ variantKey: `${at}`, rollout: 1 })) }] }],
  [
    'rollouts',
    {
      type: 'BOOLEAN_FLAG_TYPE',
      rollouts: many((at) => ({
        type: 'SEGMENT_ROLLOUT_TYPE',
        segment: { segments: [{ key: `${at}`, constraints: [constraint] }] },
      })),
    },
  ],
])('one flag with thousands of %s', (what, flag) => {
  const parsed = async () => {
    const { clock, turns } = counting();
    const body = Buffer.from(JSON.stringify({ flags: [{ key: 'large', enabled: true, ...flag }] }));
    return { body: await parseSnapshot(body, 'default', clock), turns: turns() };
  };

  it('is read in many turns of the event loop', async () => {
    expect((await parsed()).turns).toBeGreaterThan(8);
  });

  it('is compiled before it is asked for', async () => {
    const { body } = await parsed();
    const { clock, turns } = counting();
    const { compiled } = await snapshotOf(body, clock);

    // The constraints of one segment are compiled in one step.
    expect(turns()).toBeGreaterThan(what === 'constraints' ? 0 : 3);
    const calls = mapCallsOf(() => compiled.flag('large'));
    expect(calls).toBeLessThan(3);
  });
});

it('writes large flags one in each turn', async () => {
  const flags = Array.from({ length: 5 }, (_, at) => ({
    key: `${at}`,
    rules: many((n) => ({ id: `${n}`, segments: [{ key: `${n}` }] })),
  }));
  const reading = counting();
  const body = await parseSnapshot(Buffer.from(JSON.stringify({ flags })), 'default', reading.clock);
  const { clock, turns } = counting();
  await bodyText('default', body, clock);
  expect(turns()).toBeGreaterThan(4);
});

it('keeps the first rule without segments of each operator: it decides like all of them', async () => {
  const { clock, turns } = counting();
  const without = many((at) => ({
    segmentOperator: at % 2 === 0 ? 'OR_SEGMENT_OPERATOR' : 'AND_SEGMENT_OPERATOR',
  }));
  const last = { segments: [{ key: 'everybody' }], distributions: [{ variantKey: 'late', rollout: 100 }] };
  const body = (rules: readonly object[]) =>
    Buffer.from(JSON.stringify({ flags: [{ key: 'large', enabled: true, rules }] }));
  const ordersOf = async (rules: readonly object[]) => {
    const { features } = await parseSnapshot(body(rules), 'default', clock);
    const flag = features.flags.get('large');
    return flag?.type === 'VARIANT_FLAG_TYPE' ? flag.rules.map(({ segmentOperator }) => segmentOperator) : [];
  };

  expect(await ordersOf([...without, last])).toEqual([
    'OR_SEGMENT_OPERATOR',
    'AND_SEGMENT_OPERATOR',
    'OR_SEGMENT_OPERATOR',
  ]);
  expect(turns()).toBeGreaterThan(8);
});

it('keeps shares of 0 % only as far as they name a variant: they give nothing', async () => {
  const { clock, turns } = counting();
  const distributions = [
    ...many(() => ({})),
    ...many(() => ({ variantKey: 'later', rollout: 0 })),
    { variantKey: 'now', rollout: 40 },
    { variantKey: 'now', rollout: 0 },
    { variantKey: 'later', variantAttachment: '1' },
    { rollout: 60 },
  ];
  const flags = [{ key: 'large', enabled: true, rules: [{ distributions }] }];
  const { features } = await parseSnapshot(Buffer.from(JSON.stringify({ flags })), 'default', clock);
  const flag = features.flags.get('large');
  if (flag?.type !== 'VARIANT_FLAG_TYPE') expect.unreachable();

  const shares = flag.rules[0]?.distributions.map(({ variantId, rollout }) => {
    const { key, attachment } = flag.variants.get(variantId) ?? {};
    return [key, attachment, rollout];
  });
  expect(shares).toEqual([
    ['', '', 0],
    ['later', '', 0],
    ['now', '', 40],
    ['later', '1', 0],
    ['', '', 60],
  ]);
  expect(turns()).toBeGreaterThan(8);
});
