import { questionKeys, contextReader } from '../../../src/provider/mapping/question-key.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subjectOf } from '../../remote/questions.fixture.js';

/** Any string of UTF-16 units, including lone surrogates, with the characters that separate the parts of a key. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('0', '1', '2', ':', 'a', ',', '\u0000'), maxLength: 6 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units)),
);
const asked = fc.record({
  namespace: text,
  environment: text,
  reference: text,
  flag: text,
  entity: text,
  attributes: fc.array(fc.tuple(text, text), { maxLength: 3 }).map((pairs) => new Map(pairs)),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

function keyOf({ namespace, environment, reference, flag, entity, attributes }: Asked): string {
  const names = [...attributes.keys()].sort();
  const texts = names.map((name) => attributes.get(name) ?? '');
  return questionKeys(namespace, environment, reference)(flag, { entity, names, texts });
}

/** All that the service looks at, written without ambiguity. */
function written({ attributes, ...parts }: Asked): string {
  const sorted = [...attributes].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    parts.namespace,
    parts.environment,
    parts.reference,
    parts.flag,
    parts.entity,
    sorted,
  ]);
}

describe('the key of a question', () => {
  it('is the same for the same question, and for no other, whatever characters its parts hold', () => {
    fc.assert(
      fc.property(asked, asked, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(written(one) === written(other));
        expect(keyOf({ ...one })).toBe(keyOf(one));
      }),
      { numRuns: 2000 },
    );
  });

  it('is not shared when a character moves from one part to the next', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, a, b) => {
        fc.pre(whole.length > 0 && a % (whole.length + 1) !== b % (whole.length + 1));
        const keys = questionKeys('default');
        const cut = (at: number) => keys(whole.slice(0, at), subjectOf(whole.slice(at)));
        expect(cut(a % (whole.length + 1))).not.toBe(cut(b % (whole.length + 1)));
      }),
    );
  });

  it.each([
    ['an attribute more', subjectOf('u', { a: '1' }), subjectOf('u', { a: '1', b: '' })],
    ['name and value exchanged', subjectOf('u', { a: 'b' }), subjectOf('u', { b: 'a' })],
    ['an attribute that looks like two', subjectOf('u', { a: '1' }), subjectOf('u', { a: '11:b1:2' })],
    ['an entity that looks like attributes', subjectOf('u1:a1:1'), subjectOf('u', { a: '1' })],
    ['no entity', subjectOf(''), subjectOf('0:')],
  ])('differs for %s', (_, one, other) => {
    const keys = questionKeys('default');
    expect(keys('flag', one)).not.toBe(keys('flag', other));
  });

  it('differs by namespace, environment and reference', () => {
    const scopes = [['a', 'b', 'c'], ['a', 'b'], ['a', '', 'b'], ['ab'], ['', 'ab'], ['a']] as const;
    const keys = scopes.map(([namespace, ...rest]) => questionKeys(namespace, ...rest)('f', subjectOf('u')));
    expect(new Set(keys).size).toBe(scopes.length);
  });

  it('does not depend on the order of the attributes in the context', () => {
    const keys = questionKeys('default');
    const read = contextReader();
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
        const key = keys('flag', read(Object.fromEntries(pairs)));
        expect(keys('flag', read(Object.fromEntries([...pairs].reverse())))).toBe(key);
      }),
    );
  });
});
