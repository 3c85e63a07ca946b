import { describe, expect, it } from 'vitest';
import { Message } from '../../../src/local/requests/message.js';

const NAMES = ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'] as const;
const complaint = (message: string): object => ({ kind: 'invalid', message });

describe('a body', () => {
  it.each(['', ' \n\t', 'null', '{}'])('%j is an empty message', (body) => {
    const message = Message.parse(body);
    expect(message.string('name')).toBe('');
    expect(message.integer('rank')).toBe(0);
    expect(message.enumeration('matchType', NAMES)).toBe('ALL_MATCH_TYPE');
    expect(message.strings('segmentKeys')).toEqual([]);
    expect(message.messages('requests')).toEqual([]);
    expect(message.stringMap('context')).toEqual({});
    expect(message.timestamp('expiresAt')).toBeUndefined();
  });

  it.each(['[]', '5', '"a"', 'true'])('%s is no message', (body) => {
    expect(() => Message.parse(body)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it.each(['{bad', '{"a":1,}', '{"a":01}', '{}{}'])('%s is not JSON', (body) => {
    expect(() => Message.parse(body)).toThrow(/^the body is not JSON: /);
    expect(() => Message.parseExact(body)).toThrow(/^the body is not JSON: /);
  });

  it('may be nested as deep as it likes', () => {
    const deep = `{"name":"x","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(Message.parse(deep).string('name')).toBe('x');
  });
});

describe('a member', () => {
  it('of another name is passed over, null is the default, and the last of two wins', () => {
    const message = Message.parse('{"extra":{},"name":null,"key":"a","key":"b"}');
    expect(message.string('name')).toBe('');
    expect(message.string('key')).toBe('b');
  });

  it('may carry its snake_case name; the other one wins', () => {
    expect(Message.parse('{"flag_key":"a"}').string('flagKey')).toBe('a');
    expect(Message.parse('{"flagKey":"b","flag_key":"a"}').string('flagKey')).toBe('b');
  });

  it('is never taken from the prototype', () => {
    expect(Message.parse('{}').string('constructor')).toBe('');
    expect(Message.parse('{"__proto__":{"name":"x"}}').string('name')).toBe('');
  });
});

describe('a string', () => {
  it.each(['5', 'true', '{}', '[]'])('is not %s', (value) => {
    expect(() => Message.parse(`{"name":${value}}`).string('name')).toThrow(
      /^invalid value for name: expected a string, got /,
    );
  });

  it('has no half of a surrogate pair', () => {
    expect(Message.parse('{"name":"\\ud83d"}').string('name')).toBe('\ufffd');
  });
});

describe('an integer', () => {
  it.each([
    ['7', 7],
    ['"7"', 7],
    ['-3', -3],
    ['"-3"', -3],
    ['2147483647', 2147483647],
  ])('may be %s', (written, value) => {
    expect(Message.parseExact(`{"rank":${written}}`).integer('rank')).toBe(value);
  });

  it.each([
    '1.5',
    '100.0',
    '1e2',
    '"100.0"',
    '"1e2"',
    '""',
    '"+1"',
    '" 1"',
    '2147483648',
    '"-2147483649"',
    'true',
    '[]',
  ])('may not be %s', (written) => {
    expect(() => Message.parseExact(`{"rank":${written}}`).integer('rank')).toThrow(
      /^invalid value for rank/,
    );
  });
});

describe('an enum', () => {
  it.each([
    ['"ANY_MATCH_TYPE"', 'ANY_MATCH_TYPE'],
    ['0', 'ALL_MATCH_TYPE'],
    ['1', 'ANY_MATCH_TYPE'],
    ['7', 7],
    ['-1', -1],
    ['null', 'ALL_MATCH_TYPE'],
  ])('%s is %s', (written, value) => {
    expect(Message.parseExact(`{"matchType":${written}}`).enumeration('matchType', NAMES)).toBe(value);
  });

  it.each(['"1"', '"any_match_type"', '"constructor"', '1.0', 'true', '{}'])('is not %s', (written) => {
    expect(() => Message.parseExact(`{"matchType":${written}}`).enumeration('matchType', NAMES)).toThrow(
      /^invalid value for matchType/,
    );
  });
});

describe('lists and maps', () => {
  it('take null for a default within', () => {
    const message = Message.parse('{"keys":["a",null],"requests":[null,{}],"context":{"a":null,"b":"c"}}');
    expect(message.strings('keys')).toEqual(['a', '']);
    expect(message.messages('requests')).toHaveLength(2);
    expect(message.stringMap('context')).toEqual({ a: '', b: 'c' });
  });

  it('name the member that is wrong', () => {
    const message = Message.parse('{"keys":["a",5],"requests":[{},[]],"context":{"plan":5},"list":{}}');
    expect(() => message.strings('keys')).toThrow(
      expect.objectContaining(complaint('invalid value for keys[1]: expected a string, got a number')),
    );
    expect(() => message.messages('requests')).toThrow('requests[1]: expected an object, got a list');
    expect(() => message.stringMap('context')).toThrow('context.plan: expected a string, got a number');
    expect(() => message.strings('list')).toThrow('list: expected a list, got an object');
    expect(() => message.stringMap('keys')).toThrow('keys: expected an object of strings, got a list');
  });

  it('keep a member named __proto__', () => {
    const map = Message.parse('{"context":{"__proto__":"x"}}').stringMap('context');
    expect(Object.entries(map)).toEqual([['__proto__', 'x']]);
  });
});

describe('a timestamp', () => {
  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T01:00:00+01:00', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00.120Z', '2030-01-01T00:00:00.12Z'],
    ['2030-01-01T00:00:00.1234567891Z', '2030-01-01T00:00:00.123456789Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z'],
  ])('%s is answered as %s', (written, answered) => {
    expect(Message.parse(JSON.stringify({ at: written })).timestamp('at')).toBe(answered);
  });

  it.each(['"not a date"', '"2030-01-01"', '""', '5', '{}'])('is not %s', (written) => {
    expect(() => Message.parse(`{"at":${written}}`).timestamp('at')).toThrow(/^invalid value for at/);
  });
});
