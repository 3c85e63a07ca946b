import { describe, expect, it } from 'vitest';
import { parseNumbers, parseStrings } from '../../src/engine/go-syntax.js';

describe('lists of strings', () => {
  it.each([
    ['[]', []],
    ['["a", "b"]', ['a', 'b']],
    ['["a", null]', ['a', '']],
    ['null', []],
    [' ["\\u00e9"] ', ['é']],
    ['', undefined],
    ['a', undefined],
    ['"a"', undefined],
    ['{}', undefined],
    ['[1]', undefined],
    ['["a"', undefined],
    ['["a",]', undefined],
  ])('%j', (json, expected) => {
    expect(parseStrings(json)).toEqual(expected);
  });
});

describe('lists of numbers', () => {
  it.each([
    ['[1, 2.5, -3e2]', [1, 2.5, -300]],
    ['[null]', [0]],
    ['null', []],
    ['["1"]', undefined],
    ['[1e400]', undefined],
    ['[01]', undefined],
    ['1', undefined],
  ])('%j', (json, expected) => {
    expect(parseNumbers(json)).toEqual(expected);
  });
});
