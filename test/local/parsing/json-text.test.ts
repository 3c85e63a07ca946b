import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson } from '../../../src/local/operations/manage-flags.js';

describe('compacting', () => {
  it.each([
    ['5', '5'],
    [' { "b" : 1e3,\n"a":\t1.0, "a":2 } ', '{"b":1e3,"a":1.0,"a":2}'],
    ['[ " a  b ", "\\" ,  \\\\" , 1 ]', '[" a  b ","\\" ,  \\\\",1]'],
    ['"\\\\"', '"\\\\"'],
  ])('%s', (json, compact) => {
    expect(compactJson(json)).toBe(compact);
  });

  it('changes nothing but white space between tokens', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', ' \n'), (value, space) => {
        expect(compactJson(JSON.stringify(value, null, space))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('handles long strings of quotes and backslashes at once', () => {
    for (const text of ['"'.repeat(500_000), '\\'.repeat(500_000), '\\"'.repeat(250_000)]) {
      const json = JSON.stringify(text);
      expect(compactJson(` ${json} `)).toBe(json);
    }
  });
});
