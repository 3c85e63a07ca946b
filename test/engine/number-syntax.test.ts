import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNumber } from '../../src/engine/go-syntax.js';

describe('numbers are read as Go reads them', () => {
  it.each([
    ['0', 0],
    ['-0', -0],
    ['42', 42],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['25e-1', 2.5],
    ['.5', 0.5],
    ['5.', 5],
    ['+7', 7],
    ['-7.25', -7.25],
    ['1_000', 1000],
    ['1_0.2_5e1_0', 10.25e10],
    ['1e-400', 0],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['inf', Infinity],
    ['+Inf', Infinity],
    ['-Infinity', -Infinity],
    ['INFINITY', Infinity],
    ['NaN', NaN],
    ['nan', NaN],
    ['0x1p4', 16],
    ['0X1P-2', 0.25],
    ['-0x1.8p1', -3],
    ['0x.8p0', 0.5],
    ['0x1.p0', 1],
    ['0x_1p4', 16],
    ['0x1_0p0', 16],
    ['0x0p9999', 0],
    ['0x1p-1074', Number.MIN_VALUE],
    ['0x1p-1075', 0],
    ['0x1.8p-1075', Number.MIN_VALUE],
    ['0x1p-99999', 0],
    ['0x1.fffffffffffffp1023', Number.MAX_VALUE],
    ['0x1.00000000000008p0', 1],
    ['0x1.000000000000080000000000000000000000001p0', 1 + Number.EPSILON],
    ['0x100000000000000000000000000000p-116', 1],
    [`0x${'0'.repeat(40)}1p0`, 1],
  ])('%s', (text, number) => {
    expect(parseNumber(text)).toBe(number);
  });

  it.each([
    '',
    ' ',
    ' 10',
    '10 ',
    '10px',
    '0x10',
    '0b1p1',
    '1e',
    '1e+',
    '.',
    '+',
    '-.',
    '1__0',
    '_1',
    '1_',
    '1_.5',
    '1._5',
    '1e_5',
    '1e400',
    '-1e400',
    '0x1p1024',
    '0x1p99999',
    '0xp1',
    '0x.p1',
    '0x__1p1',
    '0x_.8p0',
    '+nan',
    'infin',
    '--1',
    '1,5',
    '٣',
    '1\n',
  ])('%j is no number', (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });

  it('reads every double as JavaScript writes it', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (number) => {
        expect(parseNumber(Object.is(number, -0) ? '-0' : String(number))).toBe(number);
      }),
    );
  });

  it('reads a hexadecimal integer exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: -40, max: 40 }), (mantissa, power) => {
        expect(parseNumber(`0x${mantissa.toString(16)}p${power}`)).toBe(mantissa * 2 ** power);
      }),
    );
  });

  it('reads a megabyte of digits at once, whatever follows them', () => {
    const digits = '1'.repeat(1_000_000);
    for (const text of [`${digits}x`, `0.${digits}`, `0x${digits}p1x`, `0x1.${digits}p0`, `1e${digits}`]) {
      parseNumber(text);
    }
    expect(parseNumber(`0x0.${'0'.repeat(1_000_000)}1p4000004`)).toBe(1);
  });
});
