import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptBeginning, type KeptSnapshot } from '../../src/snapshot/kept-text.js';
import { decodeKept, encodeKept } from './kept-text.fixture.js';
import { ORIGIN } from './origin.fixture.js';

const KEPT: KeptSnapshot = {
  body: '{"namespace":{"key":"default"},"flags":[]}',
  version: 'abc',
  etag: '"abc"',
  confirmedAt: Date.UTC(2024, 0, 2, 3, 4, 5, 678),
};

describe('a kept snapshot', () => {
  it('is read as it was written', () => {
    expect(decodeKept(encodeKept(KEPT, ORIGIN), ORIGIN)).toEqual(KEPT);
  });

  it('may have come without an ETag, from an environment', () => {
    const origin = { ...ORIGIN, environment: 'production' };
    const kept = { ...KEPT, etag: undefined };
    expect(decodeKept(encodeKept(kept, origin), origin)).toEqual(kept);
  });

  it.each([
    ['url', { ...ORIGIN, url: 'http://other:8080' }],
    ['namespace', { ...ORIGIN, namespace: 'team' }],
    ['environment', { ...ORIGIN, environment: 'production' }],
  ])('is not used with another %s', (name, origin) => {
    expect(decodeKept(encodeKept(KEPT, ORIGIN), origin)).toEqual({
      wrong: expect.stringMatching(
        new RegExp(`^it belongs to ${name} .+, and the option is ".+keep them in two places$`),
      ) as string,
    });
  });

  it.each(['a\r\nb', '\u65e5', 'x'.repeat(2_000)])(
    'is read without the ETag %j, which no request could repeat',
    (etag) => {
      const read = decodeKept(encodeKept({ ...KEPT, etag }, ORIGIN), ORIGIN);
      expect(read).toMatchObject({ body: KEPT.body, etag: undefined });
    },
  );

  it('of another url names it without what would steer a terminal', () => {
    const url = 'http://\u202e\u001b[31m';
    expect(decodeKept(encodeKept(KEPT, { ...ORIGIN, url }), ORIGIN)).toEqual({
      wrong:
        'it belongs to url "http://\\u{202e}\\u001b[31m", and the option is "http://flipt:8080"; if both are in use, keep them in two places',
    });
  });

  it('is not used if a newer version of the package wrote it', () => {
    const newer = encodeKept(KEPT, ORIGIN).replace('"format":1', '"format":2');
    expect(decodeKept(newer, ORIGIN)).toEqual({
      wrong: 'it has format 2, and this version of the package reads format 1',
    });
  });

  it.each([
    ['an empty text', ''],
    ['another file', 'flags:\n  - key: banner\n'],
    ['JSON of something else', '{"flags":[]}'],
  ])('is not found in %s', (_, text) => {
    expect(decodeKept(text, ORIGIN)).toEqual({ wrong: 'it does not hold a snapshot' });
  });

  it('is not used after any change of one character', () => {
    const text = encodeKept(KEPT, ORIGIN).trimEnd();
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('0', 'x', '"', ' '), (at, character) => {
        fc.pre(text[at] !== character);
        const damaged = text.slice(0, at) + character + text.slice(at + 1);
        const read = decodeKept(damaged, ORIGIN);
        // White space between the members of the header, and the spelling of the same instant, change nothing.
        if (!('wrong' in read)) expect(read).toEqual(KEPT);
      }),
      { numRuns: 500 },
    );
  });

  it('that an older version of this package wrote, with the time that a whole body takes, is used, too', () => {
    const text = encodeKept(KEPT, ORIGIN).replace('"sha256"', '"fullBodyMs":2500,"sha256"');
    expect(decodeKept(text, ORIGIN)).toEqual(KEPT);
  });

  it('is not used if it was cut short anywhere', () => {
    const text = encodeKept(KEPT, ORIGIN);
    for (let length = 0; length < text.length - 1; length++) {
      expect(decodeKept(text.slice(0, length), ORIGIN)).toHaveProperty('wrong');
    }
  });
});

describe('the beginning of a kept snapshot', () => {
  const { isOurs, otherPlace } = keptBeginning(ORIGIN);
  const text = encodeKept(KEPT, ORIGIN);

  it.each([
    ['whole', text],
    ['cut short', text.slice(0, 20)],
    ['damaged', text.replace('"sha256":"', '"sha256":"x')],
    ['of a newer version of the package', text.replace('"format":1', '"format":22')],
  ])('shows that this package wrote it: %s', (_, written) => {
    expect(isOurs(written)).toBe(true);
    expect(otherPlace(written)).toBeUndefined();
  });

  it.each([
    'flags:\n',
    '{"flags":[]}',
    '{"format":"openfeature-flipt-provider data","version":1}',
    '{\n  "format": 1\n}',
  ])('is not in %j', (other) => {
    expect(isOurs(other)).toBe(false);
  });

  it('names the place that differs', () => {
    expect(otherPlace(encodeKept(KEPT, { ...ORIGIN, namespace: 'team' }))).toBe(
      'it belongs to namespace "team", and the option is "default"',
    );
  });
});
