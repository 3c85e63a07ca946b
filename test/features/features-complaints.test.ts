import { describe, expect, it } from 'vitest';
import { readFeatures, type FeaturesSource } from '../../src/features/read-features.js';
import { complaintAbout, load, problemsIn } from './loading.fixture.js';

const segment = (constraint: object): object => ({ segments: [{ key: 's', constraints: [constraint] }] });
const number = { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'eq', value: '18' };
const variants = [{ key: 'a' }, { key: 'b' }];

describe('a message says where the mistake is and what was expected', () => {
  it.each<[object, string]>([
    [{ flagz: [] }, 'flagz: unknown member; did you mean "flags"?'],
    [{ colour: 'red' }, 'colour: unknown member'],
    [{ flags: {} }, 'flags: expected a list, got a mapping'],
    [{ flags: [{}] }, 'flags[0].key: missing'],
    [{ flags: [{ key: 5 }] }, 'flags[0].key: expected a string, got 5 (put it in quotes)'],
    [
      { flags: [{ key: 'é' }] },
      'flags[0].key: expected letters, digits, "-", "_" and "," only, and at least one of them, got "é"',
    ],
    [{ flags: [{ key: 'f', enabled: 'yes' }] }, 'flags[0].enabled: expected true or false, got "yes"'],
    [
      { flags: [{ key: 'f', type: 'NOPE' }] },
      'flags[0].type: expected VARIANT_FLAG_TYPE or BOOLEAN_FLAG_TYPE, got "NOPE"',
    ],
    [{ flags: [{ key: 'f' }, { key: 'f' }] }, 'flags[1].key: "f" occurs twice'],
    [{ flags: Array(1) }, 'flags[0]: missing'],
    [{ flags: [{ key: 'f', rules: Array(1) }] }, 'flags[0].rules[0]: missing'],
    [
      { flags: [{ key: 'f', variants: [{ key: 'a' }, { key: 'a' }] }] },
      'flags[0].variants[1].key: "a" occurs twice',
    ],
    [
      { flags: [{ key: 'f', variants: variants.map((variant) => ({ ...variant, default: true })) }] },
      'flags[0].variants: expected at most one default variant',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 'gone' }] }] },
      'flags[0].rules[0].segment: expected the key of a segment of this document, got "gone"',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 5 }] }] },
      'flags[0].rules[0].segment: expected the key of a segment, or keys and an operator, got 5',
    ],
    [
      {
        flags: [{ key: 'f', rules: [{ segment: 's', distributions: [{ variant: 'x', rollout: 1 }] }] }],
        segments: [{ key: 's' }],
      },
      'flags[0].rules[0].distributions[0].variant: expected the key of a variant of this flag, got "x"',
    ],
    [
      {
        flags: [
          { key: 'f', variants, rules: [{ segment: 's', distributions: [{ variant: 'a', rollout: 101 }] }] },
        ],
        segments: [{ key: 's' }],
      },
      'flags[0].rules[0].distributions[0].rollout: expected a percentage from 0 to 100, got 101',
    ],
    [
      { flags: [{ key: 'f', rollouts: [{ threshold: { percentage: 1 } }] }] },
      'flags[0].rollouts: only a BOOLEAN_FLAG_TYPE has rollouts',
    ],
    [
      { flags: [{ key: 'f', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{}] }] },
      'flags[0].rollouts[0]: expected either segment or threshold',
    ],
    [
      { flags: [{ key: 'f', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ segment: { value: true } }] }] },
      'flags[0].rollouts[0].segment: expected either key or keys',
    ],
    [
      { flags: [{ key: 'f', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ segment: { keys: [] } }] }] },
      'flags[0].rollouts[0].segment: expected at least one segment key',
    ],
    [
      { flags: [{ key: 'f', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ segment: { key: 'gone' } }] }] },
      'flags[0].rollouts[0].segment: expected the key of a segment of this document, got "gone"',
    ],
    [
      { namespace: 'a b' },
      'namespace: expected letters, digits, "-", "_" and "," only, and at least one of them, got "a b"',
    ],
    [
      { namespace: 5 },
      'namespace: expected a namespace key, or a mapping with key, name and description, got 5',
    ],
    [
      segment({ ...number, value: 18 }),
      'segments[0].constraints[0].value: expected a string, got 18 (put it in quotes)',
    ],
    [
      segment({ ...number, value: '18px' }),
      'segments[0].constraints[0].value: expected a number, got "18px"',
    ],
    [
      segment({ ...number, property: '' }),
      'segments[0].constraints[0].property: expected the name of an attribute, got none',
    ],
    [
      segment({ ...number, operator: 'prefix' }),
      'segments[0].constraints[0].operator: expected one of eq, neq, lt, lte, gt, gte, present, notpresent, isoneof, isnotoneof for NUMBER_COMPARISON_TYPE, got "prefix"',
    ],
    [
      segment({ ...number, operator: 'isoneof', value: '["1"]' }),
      `segments[0].constraints[0].value: expected a JSON array of numbers, got '["1"]'`,
    ],
    [
      segment({ ...number, type: 'STRING_COMPARISON_TYPE', operator: 'isnotoneof', value: 'a,b' }),
      `segments[0].constraints[0].value: expected a JSON array of strings, such as '["a","b"]', got "a,b"`,
    ],
    [
      segment({ ...number, type: 'DATETIME_COMPARISON_TYPE', value: '2024-02-30' }),
      'segments[0].constraints[0].value: expected a date-time as RFC 3339 has it, or YYYY-MM-DD, got "2024-02-30"',
    ],
    [
      { flags: [{ key: 'f', rules: [{ segment: 's', rank: 1.5 }] }], segments: [{ key: 's' }] },
      'flags[0].rules[0].rank: expected a whole number from 0 to 2147483647, got 1.5',
    ],
    [
      segment({ ...number, operator: 'isoneof', value: [1] }),
      'segments[0].constraints[0].value: expected a JSON array in quotes, because Flipt v1 takes no list (v2.11 does)',
    ],
    [
      { flags: [{ key: 'f', description: ['x'.repeat(100)] }] },
      'flags[0].description: expected a string, got a list',
    ],
    [
      { flags: [{ key: 'f', enabled: 'x'.repeat(200) }] },
      `flags[0].enabled: expected true or false, got "${'x'.repeat(99)}…`,
    ],
  ])('%j', async (document, complaint) => {
    expect((await problemsIn(document)).join('\n')).toContain(`features: document 1: ${complaint}`);
  });

  it('about a namespace that has two documents', async () => {
    expect(await problemsIn([{}, { namespace: 'default' }])).toEqual([
      'features: document 2: namespace: "default" already has a document. Flipt adds the two.',
    ]);
  });

  it.each<[object, string]>([
    [{ value: [1] }, 'expected a string for eq, got a list'],
    [{ operator: 'isoneof', value: [1, '2'] }, 'expected a list of numbers, got a string in it'],
    [{ operator: 'isoneof', value: [null] }, 'expected a list of numbers, got null in it'],
  ])('about a list of v2: %j', async (constraint, complaint) => {
    expect((await problemsIn(segment({ ...number, ...constraint }), 'v2')).join()).toContain(
      `features: document 1: segments[0].constraints[0].value: ${complaint}`,
    );
  });

  it('about a list in a version of the format that has none', async () => {
    const listing = segment({ ...number, operator: 'isnotoneof', value: [1] });
    expect(await complaintAbout({ version: '1.5', ...listing }, 'v2')).toBe(
      'features: document 1: segments[0].constraints[0].value: expected a JSON array in quotes, because version 1.5 of the format has no lists; 1.6 has',
    );
    await expect(load({ version: '1.6', ...listing }, 'v2')).resolves.toBeDefined();
  });

  it('about an attachment that v2 refuses, or that JSON cannot hold', async () => {
    const flag = (attachment: unknown): object => ({
      flags: [{ key: 'f', variants: [{ key: 'a', attachment }] }],
    });
    const where = 'features: document 1: flags[0].variants[0].attachment';
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const text = { version: '1.4', ...flag('text') } as FeaturesSource;
    await expect(readFeatures(text, 'v2', { strict: true })).rejects.toThrow(
      `${where}: "text", but it must be a mapping or a list. Flipt 2.11 serves no flag of this environment.`,
    );
    expect(await complaintAbout(flag(cycle))).toBe(`${where}: expected a value that JSON can hold`);
    expect(await complaintAbout(flag(() => 1))).toBe(`${where}: expected a value that JSON can hold`);
    await expect(load(flag([1]) as FeaturesSource, 'v2')).resolves.toBeDefined();
  });
});
