import { describe, expect, it } from 'vitest';
import { parseBody } from '../../../src/local/parsing/json-body.js';
import { Message } from '../../../src/local/parsing/proto-message.js';

const NAMES = ['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'] as const;
const parsed = async (body: string): Promise<Message> => Message.of(await parseBody(body));
const complaint = (message: string): object => ({ kind: 'invalid', message });

describe('a body', () => {
  it.each(['', ' \n\t', 'null', '{}'])('%j is an empty message', async (body) => {
    const message = await parsed(body);
    expect(message.string('name')).toBe('');
    expect(message.integer('rank')).toBe(0);
    expect(message.enumeration('matchType', NAMES)).toBe('ALL_MATCH_TYPE');
    expect(message.strings('segmentKeys')).toEqual([]);
    expect(message.messages('requests')).toEqual([]);
    expect(message.stringMap('context')).toEqual({});
    expect(message.timestamp('expiresAt')).toBeUndefined();
  });

  it.each(['[]', '5', '"a"', 'true'])('%s is no message', async (body) => {
    await expect(parsed(body)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it.each(['{bad', '{"a":1,}', '{"a":01}', '{"a"', 'nullx', '{"a":"\u0001"}'])(
    '%s is not JSON',
    async (body) => {
      await expect(parsed(body)).rejects.toThrow(/^the body is not JSON: /);
    },
  );

  it.each(['{"name":"x"} y', '{"name":"x"}{}', '{"name":"x"}]', '{"name":"x"}\0'])(
    'ends where its value ends: %j',
    async (body) => {
      expect((await parsed(body)).string('name')).toBe('x');
    },
  );

  it('may be nested 10,000 deep, and no deeper', async () => {
    const deep = (depth: number): string =>
      `{"name":"x","extra":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect((await parsed(deep(10_000))).string('name')).toBe('x');
    await expect(parsed(deep(10_001))).rejects.toMatchObject(
      complaint('the body is nested deeper than 10000'),
    );
    await expect(parsed('['.repeat(1_000_000))).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a member', () => {
  it('with an unknown name is ignored, null is the default, and the last of two wins', async () => {
    const message = await parsed('{"extra":{},"name":null,"key":"a","key":"b"}');
    expect(message.string('name')).toBe('');
    expect(message.string('key')).toBe('b');
  });

  it('may have its snake_case name; the other one wins', async () => {
    expect((await parsed('{"flag_key":"a"}')).string('flagKey')).toBe('a');
    expect((await parsed('{"flagKey":"b","flag_key":"a"}')).string('flagKey')).toBe('b');
  });

  it('is never taken from the prototype', async () => {
    expect((await parsed('{}')).string('constructor')).toBe('');
    expect((await parsed('{"__proto__":{"name":"x"}}')).string('name')).toBe('');
  });
});

describe('a string', () => {
  it.each(['5', 'true', '{}', '[]'])('is not %s', async (value) => {
    const message = await parsed(`{"name":${value}}`);
    expect(() => message.string('name')).toThrow(/^invalid value for name: expected a string, got /);
  });

  it('has no half of a surrogate pair', async () => {
    expect((await parsed('{"name":"\\ud83d"}')).string('name')).toBe('\ufffd');
  });
});

describe('an integer', () => {
  it.each([
    ['7', 7],
    ['"7"', 7],
    ['-3', -3],
    ['"-3"', -3],
    ['" 7"', 7],
    ['"7 "', 7],
    ['"0"', 0],
    ['2147483647', 2147483647],
  ])('may be %s', async (written, value) => {
    expect((await parsed(`{"rank":${written}}`)).integer('rank')).toBe(value);
  });

  it.each([
    '1.5',
    '100.0',
    '1e2',
    '"100.0"',
    '"1e2"',
    '""',
    '"+1"',
    '"05"',
    '"-01"',
    '"7 8"',
    '"\\t7"',
    '2147483648',
    '"-2147483649"',
    'true',
    '[]',
  ])('may not be %s', async (written) => {
    const message = await parsed(`{"rank":${written}}`);
    expect(() => message.integer('rank')).toThrow(/^invalid value for rank/);
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
  ])('%s is %s', async (written, value) => {
    expect((await parsed(`{"matchType":${written}}`)).enumeration('matchType', NAMES)).toBe(value);
  });

  it.each(['"1"', '"any_match_type"', '"constructor"', '1.0', 'true', '{}'])('is not %s', async (written) => {
    const message = await parsed(`{"matchType":${written}}`);
    expect(() => message.enumeration('matchType', NAMES)).toThrow(/^invalid value for matchType/);
  });
});

describe('lists and maps', () => {
  it('take null as a default inside', async () => {
    const message = await parsed('{"keys":["a",null],"requests":[null,{}],"context":{"a":null,"b":"c"}}');
    expect(message.strings('keys')).toEqual(['a', '']);
    expect(message.messages('requests')).toHaveLength(2);
    expect(message.stringMap('context')).toEqual({ a: '', b: 'c' });
  });

  it('name the member that is wrong', async () => {
    const message = await parsed('{"keys":["a",5],"requests":[{},[]],"context":{"plan":5},"list":{}}');
    expect(() => message.strings('keys')).toThrow(
      expect.objectContaining(complaint('invalid value for keys[1]: expected a string, got a number')),
    );
    expect(() => message.messages('requests')).toThrow('requests[1]: expected an object, got a list');
    expect(() => message.stringMap('context')).toThrow('context.plan: expected a string, got a number');
    expect(() => message.strings('list')).toThrow('list: expected a list, got an object');
    expect(() => message.stringMap('keys')).toThrow('keys: expected an object of strings, got a list');
  });

  it('keep a member named __proto__', async () => {
    const map = (await parsed('{"context":{"__proto__":"x"}}')).stringMap('context');
    expect(Object.entries(map)).toEqual([['__proto__', 'x']]);
  });
});

describe('a timestamp', () => {
  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T01:00:00+01:00', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00.120Z', '2030-01-01T00:00:00.120Z'],
    ['2030-01-01T00:00:00.1204Z', '2030-01-01T00:00:00.120400Z'],
    ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00.0000001Z', '2030-01-01T00:00:00.000000100Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
    ['2030-01-01T00:00:00.1234567891Z', '2030-01-01T00:00:00.123456789Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
  ])('%s is answered as %s', async (written, answered) => {
    expect((await parsed(JSON.stringify({ at: written }))).timestamp('at')).toBe(answered);
  });

  it.each([
    '"not a date"',
    '"2030-01-01"',
    '""',
    '5',
    '{}',
    '"0000-12-31T23:59:59Z"',
    '"0001-01-01T00:00:00+00:01"',
    '"9999-12-31T23:59:59-00:01"',
  ])('is not %s', async (written) => {
    const message = await parsed(`{"at":${written}}`);
    expect(() => message.timestamp('at')).toThrow(/^invalid value for at/);
  });
});
