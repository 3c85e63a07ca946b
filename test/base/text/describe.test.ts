import { describe, expect, it } from 'vitest';
import { isPlainObject, kindOf, messageOf } from '../../../src/base/text/describe.js';

class Config {
  readonly url = 'x';
}

describe('the kind of a value', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [[1, 2], 'a list'],
    [{ token: 'dummy' }, 'an object'],
    ['dummy', 'a string'],
    [5, 'a number'],
    [5n, 'a bigint'],
    [() => 1, 'a function'],
    [Symbol('dummy'), 'a symbol'],
  ])('%o is %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});

describe('a plain object', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [Object.create(null), true],
    [new Config(), true],
    [[], false],
    [null, false],
    ['text', false],
    [new Map(), false],
    [new Headers(), false],
    [new Date(0), false],
    [Promise.resolve(), false],
  ])('%o: %s', (value, isPlain) => {
    expect(isPlainObject(value)).toBe(isPlain);
  });
});

describe('the message of what was thrown', () => {
  it.each<[unknown, string]>([
    [new Error('no session'), 'no session'],
    ['no session', 'no session'],
    [undefined, 'undefined'],
    [Object.assign(new Error(), { message: 5 }), '5'],
    [Object.create(null), 'an error without a message'],
  ])('%o', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});
