import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/engine/features.js';
import { atOnce } from '../../src/base/time/pausable-steps.js';
import { distinctNames } from '../../src/snapshot/body/distinct-names.js';
import { readFlag } from '../../src/snapshot/body/read-flag.js';
import { segmentContent } from '../../src/snapshot/flag-content.js';
import { mapCallsOf } from '../map-calls.fixture.js';

const MANY = 4_000;
const contentOf = ({ content }: { readonly key: string; readonly content: string }) => content;

describe('names of things with the same key', () => {
  it('are the same for the same key and content, and different for all others', () => {
    const text = fc.constantFrom('', 's', 's\0', 's\0\x31', 's\0\x31\0\x31', '1', '[]');
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (things) => {
        const { nameOf } = distinctNames(contentOf);
        const names = new Set(things.map(([key, content]) => nameOf({ key, content })));
        const again = things.map(([key, content]) => nameOf({ key, content }));

        expect(names.size).toBe(new Set(things.map((thing) => JSON.stringify(thing))).size);
        expect(new Set(again)).toEqual(names);
      }),
    );
  });

  it('are the key for the first content', () => {
    const { nameOf } = distinctNames(contentOf);
    const [one, two] = [nameOf({ key: 's', content: 'one' }), nameOf({ key: 't', content: 'two' })];

    expect([one, two]).toEqual(['s', 't']);
  });
});

it('names thousands of segments with one key in a few steps each', () => {
  const { nameOf, byName } = distinctNames<Segment>(segmentContent);
  const calls = mapCallsOf(() => {
    for (let at = 0; at < MANY; at++) {
      const constraint = {
        type: 'STRING_COMPARISON_TYPE',
        property: `${at}`,
        operator: 'eq',
        value: '',
      } as const;
      nameOf({ key: 's', matchType: 'ALL_MATCH_TYPE', constraints: [constraint] });
    }
  });

  expect(byName.size).toBe(MANY);
  expect(calls).toBeLessThan(10 * MANY);
});

it('names thousands of variants with one key in a few steps each', () => {
  const distributions = Array.from({ length: MANY }, (_, at) => ({
    variantKey: 'a',
    variantAttachment: `${at}`,
    rollout: 0,
  }));
  const rule = { id: '1', segmentOperator: 'OR_SEGMENT_OPERATOR', segments: [], distributions } as const;
  const flag = { type: 'VARIANT_FLAG_TYPE', key: 'f', enabled: true, defaultVariant: null } as const;
  const calls = mapCallsOf(() => {
    atOnce(readFlag({ ...flag, rules: [rule] }, 'v2', () => ''));
  });

  expect(calls).toBeLessThan(10 * MANY);
});
