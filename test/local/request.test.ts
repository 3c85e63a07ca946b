import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Message, paginated } from '../../src/local/request.js';

/** The recorded conversations cover the usual bodies. Here are the edges that they do not show. */
describe('a body', () => {
  it.each(['', ' \n\t', 'null', '{}'])('%j is an empty message', (text) => {
    const message = Message.of(text);
    expect(message.string('name')).toBe('');
    expect(message.integer('rank')).toBe(0);
    expect(message.stringList('segmentKeys')).toEqual([]);
    expect(message.stringMap('context')).toEqual({});
    expect(message.timestamp('expiresAt')).toBeUndefined();
  });

  it.each(['[]', '5', '{bad', '{"a":1,}', '{"a"', '}', '"'])('%s is refused', (text) => {
    expect(() => Message.of(text)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('ends where its first value ends, whatever follows', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json({ maxDepth: 3 })), fc.string(), (members, behind) => {
        const read = Message.of(`${JSON.stringify({ members })} ${behind}`).stringMap('members');
        expect(read).toEqual(members);
      }),
    );
  });

  it.each([
    ['unended texts', `{"a":${'"\\"'.repeat(2_000_000)}`],
    ['a deep list', '['.repeat(500_000)],
    ['deep objects', '{"a":'.repeat(500_000)],
  ])('of hostile JSON is refused: %s', (_, text) => {
    expect(() => Message.of(text)).toThrow('the body is not JSON');
  });

  it.each([
    ['a deep list', '['.repeat(500_001)],
    ['deep objects', '{"a":'.repeat(500_001)],
    ['a long list', `{"a":[${'0,'.repeat(500_000)}0]}`],
  ])('with more than 500000 values is not parsed: %s', (_, text) => {
    expect(() => Message.of(text)).toThrow(
      expect.objectContaining({ status: 413, message: "the request's body has more than 500000 values" }),
    );
  });

  it('keeps a member named __proto__, and takes none from the prototype', () => {
    const context = Message.of('{"context":{"__proto__":"x"}}').stringMap('context');
    expect(Object.entries(context)).toEqual([['__proto__', 'x']]);
    expect(Message.of('{"__proto__":{"name":"x"}}').string('name')).toBe('');
    expect(Message.of('{}').string('constructor')).toBe('');
  });

  it('is refused by the name of the member that is wrong', () => {
    const message = Message.of(
      '{"keys":["a",5],"requests":[{},[]],"context":{"plan":5},"rank":"x","at":"now"}',
    );
    expect(() => message.stringList('keys')).toThrow(
      'invalid value for keys[1]: expected a string, got a number',
    );
    expect(() => message.messages('requests')).toThrow('requests[1]: expected an object, got a list');
    expect(() => message.stringMap('context')).toThrow('context.plan: expected a string, got a number');
    expect(() => message.integer('rank')).toThrow('rank: expected an integer of 32 bits, got a string');
    expect(() => message.timestamp('at')).toThrow('at: expected a date-time (RFC 3339), got a string');
  });
});

describe('a page', () => {
  const list = Array.from({ length: 250 }, (_, index) => index);
  const page = (query: string) => paginated(list, new URLSearchParams(query));

  it('leads to the next one, so that every item comes once, whatever the limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (limit) => {
        const seen: number[] = [];
        let token = '';
        do {
          const { items, nextPageToken } = page(`limit=${limit}&pageToken=${token}`);
          seen.push(...items);
          token = nextPageToken;
        } while (token !== '');
        expect(seen).toEqual(list);
      }),
    );
  });

  it.each(['limit=', 'limit=1.5', 'limit=2147483648', 'limit=-1', 'limit=1&offset=-1', 'limit=1&limit=2'])(
    'is refused for %s',
    (query) => {
      expect(() => page(query)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});
