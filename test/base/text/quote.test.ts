import { describe, expect, it } from 'vitest';
import { oneLine, quoted, unsteered } from '../../../src/base/text/describe.js';

describe('text from outside', () => {
  it.each([
    ['a\r\nforged: line', 'a forged: line'],
    ['\u001b[31mred\u001b[0m', '[31mred [0m'],
    ['right\u202eleft', 'right left'],
    ['a\u2028b\u2029c', 'a b c'],
    ['  around  ', 'around'],
    ['x'.repeat(1_000), 'x'.repeat(300)],
  ])('%j becomes one harmless line', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe('text that is quoted', () => {
  it.each([
    ['a\r\nb', '"a\\r\\nb"', 'a\\u{d}\\u{a}b'],
    ['\u0085\u009b31m', '"\\u{85}\\u{9b}31m"', '\\u{85}\\u{9b}31m'],
    ['\u202e\u{e0041}"', '"\\u{202e}\\u{e0041}\\""', '\\u{202e}\\u{e0041}"'],
    ['é 😀', '"é 😀"', 'é 😀'],
  ])('%j shows its steering characters', (text, inQuotes, without) => {
    expect(quoted(text)).toBe(inQuotes);
    expect(unsteered(text)).toBe(without);
  });
});
