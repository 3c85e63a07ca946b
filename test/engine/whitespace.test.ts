import { describe, expect, it } from 'vitest';
import { isBlank, trimSpace } from '../../src/engine/go-syntax.js';

describe('white space is the same as in Go', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    [' \t\n\v\f\r a b \r', 'a b'],
    ['\u0085a\u00a0', 'a'],
    ['\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000a', 'a'],
    ['\ufeffa\ufeff', '\ufeffa\ufeff'],
    ['\u200ba', '\u200ba'],
    ['   ', ''],
  ])('%j is trimmed to %j', (text, trimmed) => {
    expect(trimSpace(text)).toBe(trimmed);
    expect(isBlank(text)).toBe(trimmed === '');
  });

  it('for each code unit', () => {
    // unicode.IsSpace of Go, for what fits into one code unit; no other character is white space.
    const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
    const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    expect(units.filter(isBlank)).toEqual(units.filter((unit) => space.test(unit)));
  });
});
