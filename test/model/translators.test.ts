import { describe, expect, it } from 'vitest';
import { toNumber, toBoolean, toObject, toText } from '../../src/model/value-of-type.js';
import { booleanAnswer, variantAnswer } from '../provider/mapping/answers.fixture.js';

/** A variant's key with its attachment. */
type Variant = readonly [key: string, attachment?: string];

const rows = (variants: readonly Variant[]) => variants.map((variant) => [variant] as const);
const of = ([variant, attachment = '']: Variant) => variantAnswer({ variant, attachment });

describe('asked for a boolean', () => {
  it.each([true, false])('a boolean flag gives its value %s, its variant being the word', (enabled) => {
    expect(toBoolean(booleanAnswer({ enabled }))).toEqual({ value: enabled, variant: String(enabled) });
  });

  it.each<[Variant, boolean]>([
    [['true'], true],
    [['false'], false],
    [['true', 'false'], true],
    [['on', 'true'], true],
    [['off', ' false '], false],
  ])('variant %j gives %s', (variant, value) => {
    expect(toBoolean(of(variant))).toEqual({ value, variant: variant[0] });
  });

  it.each<readonly [Variant]>(
    rows([
      ['on'],
      ['True'],
      ['TRUE'],
      ['1'],
      [' true'],
      ['on', 'null'],
      ['on', '1'],
      ['on', '"true"'],
      ['on', '{"a":true}'],
      ['on', '{malformed'],
    ]),
  )('variant %j is a type mismatch', (variant) => {
    expect(toBoolean(of(variant))).toMatchObject({ problem: 'TYPE_MISMATCH' });
  });
});

describe('asked for a string', () => {
  it.each(['blue', 'true', '10px', ' ', 'ключ', '\u{1F600}'])('variant %j gives its key', (variant) => {
    expect(toText(variantAnswer({ variant, attachment: '{"a":1}' }))).toEqual({ value: variant, variant });
  });

  it('a boolean flag is a type mismatch', () => {
    expect(toText(booleanAnswer())).toEqual({
      problem: 'TYPE_MISMATCH',
      message: 'expected a string, but it is a boolean flag',
    });
  });
});

describe('asked for a number', () => {
  it.each<[Variant, number]>([
    [['0'], 0],
    [['10'], 10],
    [['-1.5'], -1.5],
    [['1e3'], 1000],
    [['2E-2'], 0.02],
    [['9007199254740993'], 9007199254740992],
    [['7', '8'], 7],
    [['big', '42'], 42],
    [['big', ' 4.5 '], 4.5],
    [['10px', '10'], 10],
    [['1e400', '1'], 1],
  ])('variant %j gives %s', (variant, value) => {
    expect(toNumber(of(variant))).toEqual({ value, variant: variant[0] });
  });

  it.each<readonly [Variant]>(
    rows([
      ['10px'],
      ['0x10'],
      ['2024-01-01'],
      ['1e400'],
      ['-1e400'],
      ['Infinity'],
      ['NaN'],
      ['+1'],
      ['.5'],
      ['5.'],
      ['01'],
      ['1_000'],
      [' 1'],
      ['1\n'],
      ['٣'],
      ['big', '"42"'],
      ['big', 'null'],
      ['big', 'true'],
      ['big', '1e400'],
      ['big', '[1]'],
      ['big', '{malformed'],
    ]),
  )('variant %j is a type mismatch', (variant) => {
    expect(toNumber(of(variant))).toMatchObject({ problem: 'TYPE_MISMATCH' });
  });

  it('a boolean flag is a type mismatch', () => {
    expect(toNumber(booleanAnswer())).toMatchObject({ problem: 'TYPE_MISMATCH' });
  });
});

describe('asked for an object', () => {
  it.each<[Variant, unknown]>([
    [['a', '{"a":{"b":[1,null]}}'], { a: { b: [1, null] } }],
    [
      ['a', '[1,"2"]'],
      [1, '2'],
    ],
    [['a', '{}'], {}],
    [['a', '{"html":"\\u003cb\\u003e"}'], { html: '<b>' }],
  ])('variant %j gives %j', (variant, value) => {
    expect(toObject(of(variant))).toEqual({ value, variant: variant[0] });
  });

  it('each call gives a copy of its own', () => {
    const answer = of(['a', '{"list":[1]}']);
    const [one, other] = [toObject(answer), toObject(answer)];
    expect(one).toEqual(other);
    expect('value' in one && one.value).not.toBe('value' in other && other.value);
  });

  it.each(['', 'null', '5', '"text"', 'true', ' '])(
    'attachment %j is a type mismatch or, unless it is JSON, a parse error',
    (attachment) => {
      const problem = attachment === ' ' ? 'PARSE_ERROR' : 'TYPE_MISMATCH';
      expect(toObject(of(['a', attachment]))).toMatchObject({ problem });
    },
  );

  it.each(['{', '{"a":}', "{'a':1}", '[1,]', 'undefined', '{"a":1}x'])(
    'malformed attachment %j is a parse error that names the variant',
    (attachment) => {
      expect(toObject(of(['a', attachment]))).toEqual({
        problem: 'PARSE_ERROR',
        message: `the attachment of variant "a" is not JSON (${attachment.length} characters)`,
      });
    },
  );

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['escaped names', '{"\\u0061":', '}'],
  ])('%s nested too deep to be written again are a parse error that says so', (_, opens, closes) => {
    const nested = (levels: number) => `${opens.repeat(levels)}[]${closes.repeat(levels)}`;
    expect(toObject(of(['a', nested(20_000)]))).toMatchObject({
      problem: 'PARSE_ERROR',
      message: expect.stringMatching(
        /^the attachment of variant "a" is nested too deep to be written again/,
      ) as string,
    });
    const deepest = toObject(of(['a', nested(999)]));
    expect('value' in deepest && JSON.stringify(deepest.value).length).toBeGreaterThan(2_000 - 2);
    expect(toObject(of(['a', nested(1_000)]))).toMatchObject({ problem: 'PARSE_ERROR' });
    expect(toNumber(of(['a', nested(20_000)]))).toMatchObject({ problem: 'TYPE_MISMATCH' });
  });

  it('a boolean flag is a type mismatch', () => {
    expect(toObject(booleanAnswer())).toMatchObject({ problem: 'TYPE_MISMATCH' });
  });

  it('members called __proto__ are dropped from deep inside', () => {
    const attachment =
      '{"list":[{"__proto__":{"polluted":true},"a":[{"__PROTO__":1,"__pro\\u0074\\u006F__":2}]}]}';
    const translated = toObject(of(['a', attachment]));
    expect(translated).toEqual({ value: { list: [{ a: [{ __PROTO__: 1 }] }] }, variant: 'a' });
  });

  it.each([
    '{"__proto__":{"polluted":true},"a":1}',
    '{"\\u005f_proto__":{"polluted":true},"a":1}',
    '{"__p\\u0072oto__":{"polluted":true},"a":1}',
  ])('a member called __proto__ is dropped from %s', (attachment) => {
    const translated = toObject(of(['a', attachment]));
    expect(translated).toEqual({ value: { a: 1 }, variant: 'a' });
    const merged = Object.assign({}, 'value' in translated ? (translated.value as object) : undefined);
    expect('polluted' in merged).toBe(false);
  });
});

describe('a mismatch says what there is instead', () => {
  it.each<[Variant, string]>([
    [['blue'], 'expected a boolean, but its variant is "blue", without an attachment'],
    [['blue', 'null'], 'expected a boolean, but its variant is "blue", without an attachment'],
    [['blue', '\t null '], 'expected a boolean, but its variant is "blue", without an attachment'],
    [
      ['blue', '{"a":1}'],
      'expected a boolean, but its variant is "blue", with an attachment of 7 characters (an object)',
    ],
    [
      ['b\n', '5'],
      'expected a boolean, but its variant is "b\\n", with an attachment of 1 characters (a number)',
    ],
    [
      ['bad', '{a'],
      'expected a boolean, but its variant is "bad", with an attachment of 2 characters (malformed JSON)',
    ],
    [
      ['long', `"${'x'.repeat(100)}"`],
      'expected a boolean, but its variant is "long", with an attachment of 102 characters (a string)',
    ],
  ])('%j', (variant, message) => {
    expect(toBoolean(of(variant))).toEqual({ problem: 'TYPE_MISMATCH', message });
  });
});
