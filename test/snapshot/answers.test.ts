import { describe, expect, it } from 'vitest';
import type { BooleanAnswer, KnownAnswer, VariantAnswer } from '../../src/model/answer.js';
import { isSameAnswer } from '../../src/snapshot/answers.js';

const boolean: BooleanAnswer = {
  kind: 'boolean',
  enabled: true,
  reason: 'MATCH',
  segmentKeys: ['a', 'b'],
  requestId: 'one',
};
const variant: VariantAnswer = {
  kind: 'variant',
  match: true,
  variant: 'red',
  attachment: '{"a":1,"b":"<"}',
  reason: 'MATCH',
  segmentKeys: ['a', 'b'],
  requestId: 'one',
};
const deep = (space: string): VariantAnswer => ({
  ...variant,
  attachment: `${'['.repeat(5_000)}${space}${']'.repeat(5_000)}`,
});
const missing: KnownAnswer = { kind: 'missing' };
/** Two Flipts' answers about a flag that is off. */
const off = (answer: BooleanAnswer | VariantAnswer): [KnownAnswer, KnownAnswer] => [
  { ...answer, reason: 'FLAG_DISABLED' },
  { ...answer, reason: 'DEFAULT' },
];

describe('an answer equals the expected one', () => {
  it.each<[string, KnownAnswer, KnownAnswer]>([
    ['whatever its request', boolean, { ...boolean, requestId: '' }],
    ['in any order of segments', boolean, { ...boolean, segmentKeys: ['b', 'a'] }],
    ['without a list of segments', { ...boolean, segmentKeys: undefined }, { ...boolean, segmentKeys: [] }],
    ['with a variant', variant, { ...variant, segmentKeys: ['b', 'a'], requestId: '' }],
    [
      'with an attachment written in another way',
      variant,
      { ...variant, attachment: '{ "b": "\\u003c", "a": 1 }' },
    ],
    ['where the flag is missing', missing, missing],
    ['where a newer Flipt calls the value of a flag that is off disabled', ...off(boolean)],
  ])('%s', (_how, given, expected) => {
    expect(isSameAnswer(given, expected)).toBe(true);
  });
});

describe('an answer differs', () => {
  it.each<[string, KnownAnswer, KnownAnswer]>([
    ['in kind', boolean, variant],
    ['in kind, with a variant', variant, missing],
    ['where the flag is missing', missing, boolean],
    ['in its value', boolean, { ...boolean, enabled: false }],
    ['in its reason', boolean, { ...boolean, reason: 'DEFAULT' }],
    ['in its reason, of a variant flag', ...off(variant)],
    ['in its segments', boolean, { ...boolean, segmentKeys: ['a', 'c'] }],
    ['in the number of segments', boolean, { ...boolean, segmentKeys: ['a'] }],
    ['in match', variant, { ...variant, match: false }],
    ['in its variant', variant, { ...variant, variant: 'blue' }],
    ['in the reason of a variant', variant, { ...variant, reason: 'DEFAULT' }],
    ['in the segments of a variant', variant, { ...variant, segmentKeys: [] }],
    ['in its attachment', variant, { ...variant, attachment: '{"a":2,"b":"<"}' }],
    ['in an attachment that nests too deep to be compared', deep(' '), deep('')],
    ['in an attachment that is not JSON', variant, { ...variant, attachment: '{' }],
    ['in an attachment that is there', { ...variant, attachment: '' }, { ...variant, attachment: 'null' }],
  ])('%s', (_how, given, expected) => {
    expect(isSameAnswer(given, expected)).toBe(false);
  });
});
