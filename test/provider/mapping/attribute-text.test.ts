import { contextReader } from '../../../src/provider/mapping/question-key.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidContext } from '../../../src/provider/mapping/attribute-text.js';
import { questionOf } from '../../../src/model/answer.js';
import { codePoint } from '../../code-point.fixture.js';

const read = contextReader();
/** The attributes that are sent of a context, as an object. */
const sent = (context: object) => ({ ...questionOf('', '', read(context)).attributes });

const date = new Date(Date.UTC(2024, 1, 29, 12, 30, 15, 500));

describe('an attribute becomes text', () => {
  it.each<[string, unknown, string]>([
    ['a string as it is', ' a"b ', ' a"b '],
    ['an empty string', '', ''],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['an integer', 42, '42'],
    ['a fraction', 0.1, '0.1'],
    ['a negative zero', -0, '0'],
    ['a large number as JSON writes it', 1e21, '1e+21'],
    ['a bigint in digits', 12345678901234567890n, '12345678901234567890'],
    ['a Date as RFC 3339', date, '2024-02-29T12:30:15.500Z'],
    ['an array as JSON', [1, 'a', null], '[1,"a",null]'],
    ['an object as JSON', { a: { b: [true] } }, '{"a":{"b":[true]}}'],
    ['an object without prototype', Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
    [
      'Dates within',
      { at: date, all: [date] },
      `{"at":"${date.toISOString()}","all":["${date.toISOString()}"]}`,
    ],
    ['bigints within', [1n, { n: 2n }], '["1",{"n":"2"}]'],
    ['what has a JSON of its own', { toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    ['nothing within', [undefined, NaN], '[null,null]'],
    ['an empty list', [], '[]'],
  ])('%s', (_, value, text) => {
    expect(sent({ attribute: value })).toEqual({ attribute: text });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a function', () => 'no'],
    ['a symbol', Symbol('no')],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['an object whose JSON is nothing', { toJSON: () => undefined }],
  ])('%s is left out', (_, value) => {
    expect(sent({ attribute: value, other: 'x' })).toEqual({ other: 'x' });
  });
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

describe('a context that cannot be sent to the service is refused with the name of the attribute', () => {
  it.each<[string, unknown, RegExp]>([
    ['an invalid Date', new Date(NaN), /^context attribute "it": an invalid Date$/],
    ['an invalid Date within', { a: [new Date(NaN)] }, /^context attribute "it": an invalid Date$/],
    [
      'a Date after year 9999',
      new Date(8.64e15),
      /^context attribute "it": a Date outside the years 0 to 9999$/,
    ],
    ['a Date before year 0', new Date(-8.64e15), /outside the years/],
    ['a cycle', cyclic, /^context attribute "it": .*circular/i],
    [
      'a getter that throws within',
      {
        get a() {
          throw new Error('no access\nsecond line');
        },
      },
      /^context attribute "it": no access$/,
    ],
  ])('%s', (_, value, message) => {
    const reading = () => read({ it: value });
    expect(reading).toThrow(InvalidContext);
    expect(reading).toThrow(message);
  });

  it('something thrown that is no error', () => {
    const value = {
      toJSON: () => {
        // A caller's object may throw anything.
        throw 'no access' as unknown as Error;
      },
    };
    expect(() => read({ it: value })).toThrow(/^context attribute "it": no access$/);
  });

  it('a targetingKey that cannot be text', () => {
    expect(() => read({ targetingKey: Object.create(null) as object })).toThrow(
      /^targetingKey: cannot be written/,
    );
  });
});

describe('the targeting key', () => {
  it.each<[unknown, string]>([
    ['user-1', 'user-1'],
    ['', ''],
    [undefined, ''],
    [null, ''],
    [7, '7'],
    [0, '0'],
    [false, 'false'],
    [9n, '9'],
    [['a', 'b'], 'a,b'],
  ])('%s is the entity %s, and no attribute', (targetingKey, entity) => {
    expect(read({ targetingKey, plan: 'pro' })).toEqual({ entity, names: ['plan'], texts: ['pro'] });
  });

  it('may be missing', () => {
    expect(read({})).toEqual({ entity: '', names: [], texts: [] });
  });
});

describe('reading a context', () => {
  it('takes a context without prototype', () => {
    const context = Object.assign(Object.create(null) as object, { targetingKey: 'u', a: 1 });
    expect(read(context)).toEqual({ entity: 'u', names: ['a'], texts: ['1'] });
  });

  it('keeps attributes with the names of members that every object has', () => {
    const context = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as object;
    expect(JSON.stringify(questionOf('', '', read(context)).attributes)).toBe(
      '{"__proto__":"p","constructor":"c","toString":"t"}',
    );
  });

  it('leaves out what is inherited, and what stands under a symbol', () => {
    const context = Object.assign(Object.create({ inherited: 'x' }) as object, {
      own: 'y',
      [Symbol.for('s')]: 'z',
    });
    expect(sent(context)).toEqual({ own: 'y' });
  });

  it('leaves the context as it was', () => {
    const context = Object.freeze({ b: Object.freeze([1]), a: 2 });
    expect(sent(context)).toEqual({ a: '2', b: '[1]' });
  });

  it('puts the attributes in the order of their names, whatever order they came in', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: codePoint }), fc.string()),
        fc.nat(),
        (attributes, turn) => {
          const entries = Object.entries(attributes);
          const at = entries.length === 0 ? 0 : turn % entries.length;
          const turned = Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)].reverse());
          const subject = read(turned);
          expect(subject).toEqual(read(attributes));
          expect(subject.names).toEqual([...subject.names].sort(byCodeUnits));
        },
      ),
    );
  });

  it('puts thousands of attributes in order', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `name-${(at * 2_999) % 5_000}`);
    const subject = read(Object.fromEntries(names.map((name) => [name, `of ${name}`])));
    expect(subject.names).toEqual([...names].sort(byCodeUnits));
    expect(subject.texts).toEqual(subject.names.map((name) => `of ${name}`));
  });

  it('sends only the selected attributes', () => {
    const context = { targetingKey: 'u', plan: 'pro', request: 'r-1', at: () => 0 };
    expect(contextReader({ only: ['plan', 'absent'] })(context)).toEqual({
      entity: 'u',
      names: ['plan'],
      texts: ['pro'],
    });
    expect(contextReader({ except: ['request'] })(context)).toEqual({
      entity: 'u',
      names: ['plan'],
      texts: ['pro'],
    });
    expect(contextReader({ only: [] })(context)).toEqual({ entity: 'u', names: [], texts: [] });
  });

  it('does not read an attribute that is not sent', () => {
    const context = { ok: 'yes', bad: cyclic };
    expect(contextReader({ except: ['bad'] })(context).names).toEqual(['ok']);
  });
});

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
