import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toNumber, toBoolean, toObject, toText } from '../../src/model/value-of-type.js';
import { variantAnswer } from '../provider/mapping/answers.fixture.js';

const of = ([variant, attachment]: readonly [key: string, attachment: string]) =>
  variantAnswer({ variant, attachment });

describe('a large attachment', () => {
  const MB = 1024 * 1024;
  const listOf = (characters: number) => `[${'0,'.repeat(characters / 2 - 2)}10]`;
  const parses = (run: () => void) => {
    const parse = vi.spyOn(JSON, 'parse');
    run();
    onTestFinished(() => {
      parse.mockRestore();
    });
    return parse.mock.calls.length;
  };

  it.each([
    ['a boolean', toBoolean],
    ['a number', toNumber],
  ])('is not parsed for who asks for %s, nor for the message', (_, translate) => {
    const answer = of(['a', listOf(MB)]);
    expect(answer.attachment).toHaveLength(MB);
    expect(
      parses(() => {
        expect(translate(answer)).toMatchObject({
          problem: 'TYPE_MISMATCH',
          message: expect.stringMatching(/with an attachment of 1048576 characters$/) as string,
        });
      }),
    ).toBe(0);
  });

  it('is parsed once for who asks for an object', () => {
    const answer = of(['a', listOf(MB)]);
    expect(
      parses(() => {
        expect('value' in toObject(answer)).toBe(true);
      }),
    ).toBe(1);
  });

  it.each([
    ['a boolean', toBoolean],
    ['a number', toNumber],
    ['an object', toObject],
  ])('of more than 1 MB is not parsed for who asks for %s: a parse error says so', (_, translate) => {
    const answer = of(['a', listOf(10 * MB)]);
    expect(
      parses(() => {
        expect(translate(answer)).toEqual({
          problem: 'PARSE_ERROR',
          message: 'the attachment of variant "a" is larger than 1048576 characters (10485760 characters)',
        });
      }),
    ).toBe(0);
    expect(toText(answer)).toEqual({ value: 'a', variant: 'a' });
  });

  it('keeps a boolean of a variant key', () => {
    expect(toBoolean(of(['true', listOf(10 * MB)]))).toEqual({ value: true, variant: 'true' });
    expect(toNumber(of(['5', listOf(10 * MB)]))).toEqual({ value: 5, variant: '5' });
  });
});
