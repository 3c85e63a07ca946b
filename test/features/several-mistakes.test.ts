import { describe, expect, it } from 'vitest';
import { complaintAbout } from './loading.fixture.js';

const number = { type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'eq', value: '18' };

describe('several mistakes', () => {
  it('are reported together, those of the shape and those of the references', async () => {
    const documents = [
      {
        flags: [
          {
            key: 'f',
            rules: [{ segment: 'gone' }, { segment: 's', distributions: [{ variant: 'x', rollout: 1 }] }],
          },
          { key: 'f' },
        ],
        segments: [
          {
            key: 's',
            constraints: [
              { ...number, value: 'many' },
              { ...number, operator: 'is' },
            ],
          },
        ],
      },
      { namespace: 'team', flags: [{ key: 'é', enabled: 'yes' }] },
      { namespace: 'other', flagz: [] },
      { flags: [] },
    ];
    expect((await complaintAbout(documents)).split('\n')).toEqual([
      'features: document 1: segments[0].constraints[0].value: expected a number, got "many". The constraint matches nobody.',
      expect.stringContaining(
        'features: document 1: segments[0].constraints[1].operator: expected one of eq',
      ),
      'features: document 1: flags[1].key: "f" occurs twice',
      'features: document 1: flags[0].rules[0].segment: expected the key of a segment of this document, got "gone"',
      'features: document 1: flags[0].rules[1].distributions[0].variant: expected the key of a variant of this flag, got "x"',
      'features: document 2: flags[0].enabled: expected true or false, got "yes"',
      'features: document 3: flagz: unknown member; did you mean "flags"? Flipt v1 ignores it.',
      'features: document 4: namespace: "default" already has a document. Flipt adds the two.',
    ]);
  });

  it('are reported together, even within one flag, segment or rule', async () => {
    const document = {
      flags: [
        {
          key: 'f',
          enabeld: true,
          variants: [{ key: 'red' }, { key: 5 }, { key: 'red', default: 'yes' }],
          rules: [
            { segment: 'gone', distributions: [{ variant: 'gren', rollout: 200 }] },
            { segment: { keys: ['s', 'gone-too'], operator: 'XOR' }, distribution: [] },
          ],
        },
        { key: 'b', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ segment: { key: 'gone', value: 'on' } }] },
        { key: 'c', type: 'BOOLEAN_FLAG_TYPE', rollouts: [{ percentage: 50, value: true }] },
      ],
      segments: [{ key: 's', matchType: 'ALL', constraints: [{ ...number, value: 'many', property: 5 }] }],
    };
    const ignored = 'unknown member; did you mean';
    expect((await complaintAbout(document)).split('\n').sort()).toEqual(
      [
        `flags[0].enabeld: ${ignored} "enabled"? Flipt v1 ignores it.`,
        'flags[0].rules[1].segment.operator: expected the key of a segment, or keys and an operator, got a mapping. Flipt v1 takes its operator as OR.',
        'flags[0].variants[1].key: expected a string, got 5 (put it in quotes)',
        'flags[0].variants[2].default: expected true or false, got "yes"',
        `flags[0].rules[1].distribution: ${ignored} "distributions"? Flipt v1 ignores it.`,
        'flags[1].rollouts[0].segment.value: expected true or false, got "on"',
        `flags[2].rollouts[0].percentage: ${ignored} threshold: { percentage, value }? Flipt v1 ignores it.`,
        'flags[2].rollouts[0].value: unknown member. Flipt v1 ignores it.',
        `segments[0].matchType: ${ignored} "match_type"? Flipt v1 ignores it.`,
        'segments[0].constraints[0].property: expected a string, got 5 (put it in quotes)',
      ]
        .map((complaint) => `features: document 1: ${complaint}`)
        .sort(),
    );
  });

  it('do not make other parts look wrong', async () => {
    const document = {
      flags: [
        { key: 'f', variants: {}, rules: [{ segment: '5', distributions: [{ variant: 'x', rollout: 1 }] }] },
        { key: 'g', type: 'NOPE', rollouts: [{ threshold: { percentage: 1 } }] },
      ],
      segments: [{ key: 5 }],
    };
    expect((await complaintAbout(document)).split('\n')).toEqual([
      expect.stringContaining('features: document 1: flags[1].type: expected'),
      'features: document 1: flags[0].variants: expected a list, got a mapping',
      'features: document 1: segments[0].key: expected a string, got 5 (put it in quotes)',
    ]);
    const unreadable = { flags: [{ key: 'f', rules: [{ segment: 's' }] }], segments: 5 };
    expect(await complaintAbout(unreadable)).toBe('features: document 1: segments: expected a list, got 5');
  });

  it('do not hide mistakes in a YAML document that can be read', async () => {
    const text = 'flags: [\n---\nflags: wrong\n---\nflags: []\nflags: []\n';
    const lines = (await complaintAbout(text)).split('\n');
    expect(lines.filter((line) => line.startsWith('features:2:1: '))).not.toEqual([]);
    expect(lines).toContain('features:6:1: Map keys must be unique');
  });

  it('are listed up to 20, with the number of the others', async () => {
    const flags = (count: number) => ({ flags: Array.from({ length: count }, () => ({ key: 5 })) });
    expect((await complaintAbout(flags(20))).split('\n')).toHaveLength(20);
    const lines = (await complaintAbout(flags(25))).split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[20]).toBe('and 5 more');
  });
});
