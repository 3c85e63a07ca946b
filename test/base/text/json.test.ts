import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreValues } from '../../../src/base/text/json.js';

describe('values are counted without parsing', () => {
  it.each<[string, number, boolean]>([
    ['[0,0,0]', 3, false],
    ['[0,0,0]', 2, true],
    ['{"a":{},"b":[]}', 4, false],
    ['{"a":{},"b":[]}', 3, true],
    ['[",,,[[[{{{\\",,,"]', 1, false],
    ['["\\\\",0]', 1, true],
  ])('%s has more than %i: %s', (text, most, expected) => {
    expect(hasMoreValues(text, most)).toBe(expected);
  });

  it('as often as the parsed value has members, items, lists and objects', () => {
    const count = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const parts = Object.values(value);
      return 1 + Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + count(part), 0);
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const values = count(value);
        expect(hasMoreValues(text, values)).toBe(false);
        if (values > 0) expect(hasMoreValues(text, values - 1)).toBe(true);
      }),
    );
  });
});
