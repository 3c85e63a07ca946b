import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDateTime } from '../../src/engine/go-syntax.js';

const instant = (iso: string, nanoseconds = 0n): bigint => BigInt(Date.parse(iso)) * 1_000_000n + nanoseconds;

describe('dates are read as Go reads them', () => {
  it.each([
    ['2024-06-15', instant('2024-06-15T00:00:00Z')],
    ['0001-01-01', instant('0001-01-01T00:00:00Z')],
    ['2024-02-29', instant('2024-02-29T00:00:00Z')],
    ['2024-01-01T00:00:00Z', instant('2024-01-01T00:00:00Z')],
    ['2024-01-01T01:00:00+01:00', instant('2024-01-01T00:00:00Z')],
    ['2023-12-31T18:30:00-05:30', instant('2024-01-01T00:00:00Z')],
    ['2024-01-01T00:00:00.5Z', instant('2024-01-01T00:00:00.500Z')],
    ['2024-01-01T00:00:00,5Z', instant('2024-01-01T00:00:00.500Z')],
    ['2024-01-01T00:00:00.123456789Z', instant('2024-01-01T00:00:00Z', 123_456_789n)],
    ['2024-01-01T00:00:00.1234567899Z', instant('2024-01-01T00:00:00Z', 123_456_789n)],
    ['1969-12-31T23:59:59.25Z', instant('1969-12-31T23:59:59.250Z')],
    ['2024-01-01T7:00:00Z', instant('2024-01-01T07:00:00Z')],
    ['2024-01-01T00:00:00+24:60', instant('2023-12-30T23:00:00Z')],
  ])('%s', (text, expected) => {
    expect(parseDateTime(text)).toBe(expected);
  });

  it.each([
    '',
    '2024',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-01',
    '2024-01-00',
    '2024-02-30T00:00:00Z',
    '2024-01-01T00:00:00',
    '2024-01-01 00:00:00Z',
    '2024-01-01t00:00:00z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00+25:00',
    '2024-01-01T00:00:00+00:61',
    '2024-01-01T00:00:00+0100',
    ' 2024-01-01',
    '2024-01-01\n',
    '٢٠٢٤-01-01',
  ])('%j is no date', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('reads every date that JavaScript writes', () => {
    const years = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
        expect(parseDateTime(date.toISOString())).toBe(BigInt(date.getTime()) * 1_000_000n);
      }),
    );
  });
});
