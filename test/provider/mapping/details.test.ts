import { describe, expect, it } from 'vitest';
import { resolutionDetails } from '../../../src/provider/mapping/details.js';
import { toNumber, toBoolean, toObject, toText, type Translate } from '../../../src/model/value-of-type.js';
import type { Resolution } from '../../../src/model/answer.js';
import { booleanAnswer, resolutionOf, variantAnswer } from './answers.fixture.js';

/** Each type of value, with a default that no answer gives. */
const TYPES: readonly (readonly [string, Translate<unknown>, unknown])[] = [
  ['a boolean', toBoolean, true],
  ['a string', toText, 'default'],
  ['a number', toNumber, -1],
  ['an object', toObject, { default: true }],
];

const details = <T>(what: Resolution, translate: Translate<T>, byDefault: T) =>
  resolutionDetails('shop', translate)(what, 'colour', byDefault);

describe.each(TYPES)('asked for %s', (_, translate, byDefault) => {
  it.each([
    ['no match and no default variant', { match: false, variant: '', reason: 'UNKNOWN', segmentKeys: [] }],
    ['a match without distributions', { match: true, variant: '', reason: 'MATCH' }],
    ['a default without a variant', { match: false, variant: '', reason: 'DEFAULT' }],
    ['an attachment without a variant', { variant: '', attachment: 'true' }],
  ])("%s gives the caller's default, reason DEFAULT", (__, answer) => {
    const resolved = details(resolutionOf(variantAnswer(answer)), translate, byDefault);
    expect(resolved).toMatchObject({ value: byDefault, reason: 'DEFAULT' });
    expect(resolved).not.toHaveProperty('variant');
    expect(resolved).not.toHaveProperty('errorCode');
  });

  it.each(['service', 'cache'] as const)(
    "a disabled variant flag gives the caller's default, reason DISABLED, also from the %s",
    (source) => {
      const answer = variantAnswer({ reason: 'FLAG_DISABLED', variant: 'true', attachment: '{}' });
      const resolved = details(
        resolutionOf(answer, { source, stale: source === 'cache' }),
        translate,
        byDefault,
      );
      expect(resolved).toMatchObject({
        value: byDefault,
        reason: 'DISABLED',
        flagMetadata: { disabledVariant: 'true', serviceReason: 'FLAG_DISABLED' },
      });
      expect(resolved).not.toHaveProperty('variant');
    },
  );

  it('a disabled flag without a default variant names none', () => {
    const answer = variantAnswer({ reason: 'FLAG_DISABLED', variant: '' });
    expect(details(resolutionOf(answer), translate, byDefault).flagMetadata).not.toHaveProperty(
      'disabledVariant',
    );
  });

  it('a missing flag is FLAG_NOT_FOUND and names flag and namespace', () => {
    expect(details(resolutionOf({ kind: 'missing' }), translate, byDefault)).toEqual({
      value: byDefault,
      reason: 'ERROR',
      errorCode: 'FLAG_NOT_FOUND',
      errorMessage: 'Flipt has no flag "colour" in namespace "shop"',
      flagMetadata: { flagSetId: 'shop', source: 'service' },
    });
  });

  it('a failure is returned with its words', () => {
    const failure = { kind: 'timeout', message: 'too slow' } as const;
    expect(details(resolutionOf({ kind: 'failed', failure }), translate, byDefault)).toEqual({
      value: byDefault,
      reason: 'ERROR',
      errorCode: 'GENERAL',
      errorMessage: 'too slow',
      flagMetadata: { flagSetId: 'shop' },
    });
  });
});

describe('a boolean flag', () => {
  it.each(['FLAG_DISABLED', 'DEFAULT', 'UNKNOWN', 'MATCH'])(
    'that is off wins over a default of true, whatever the reason: %s',
    (reason) => {
      const resolved = details(resolutionOf(booleanAnswer({ enabled: false, reason })), toBoolean, true);
      expect(resolved).toMatchObject({ value: false, variant: 'false' });
    },
  );

  it.each(TYPES.slice(1))('asked for %s is a type mismatch', (_, translate, byDefault) => {
    expect(details(resolutionOf(booleanAnswer()), translate, byDefault)).toMatchObject({
      value: byDefault,
      reason: 'ERROR',
      errorCode: 'TYPE_MISMATCH',
      errorMessage: expect.stringContaining('flag "colour": expected') as unknown,
      flagMetadata: { flagSetId: 'shop', serviceReason: 'DEFAULT' },
    });
  });
});

describe('metadata', () => {
  it('shows where a fresh answer comes from', () => {
    const answer = variantAnswer({ segmentKeys: ['a', 'b'], requestId: 'r-1' });
    expect(details(resolutionOf(answer), toText, '')).toEqual({
      value: 'blue',
      variant: 'blue',
      reason: 'TARGETING_MATCH',
      flagMetadata: {
        flagSetId: 'shop',
        serviceReason: 'MATCH',
        source: 'service',
        segmentKeys: 'a,b',
        requestId: 'r-1',
      },
    });
  });

  it('shows the age of a known answer in whole milliseconds', () => {
    const known = { source: 'cache', ageMs: 12.6 } as const;
    expect(details(resolutionOf(variantAnswer(), known), toText, '').flagMetadata).toMatchObject({
      source: 'cache',
      ageMs: 13,
    });
    expect(details(resolutionOf({ kind: 'missing' }, known), toText, '').flagMetadata).toMatchObject({
      source: 'cache',
      ageMs: 13,
    });
  });

  it('holds only strings, numbers and booleans, and no empty ones', () => {
    const answer = variantAnswer({ segmentKeys: [], requestId: '' });
    expect(details(resolutionOf(answer), toText, '').flagMetadata).toEqual({
      flagSetId: 'shop',
      serviceReason: 'MATCH',
      source: 'service',
    });
  });

  it('is a fresh object each time, since the SDK freezes it', () => {
    const answer = resolutionOf(variantAnswer());
    expect(details(answer, toText, '').flagMetadata).not.toBe(details(answer, toText, '').flagMetadata);
  });

  it('stays with a type mismatch', () => {
    expect(details(resolutionOf(variantAnswer()), toNumber, 1)).toMatchObject({
      errorCode: 'TYPE_MISMATCH',
      flagMetadata: { segmentKeys: 'everyone', serviceReason: 'MATCH' },
    });
  });

  it('stays with malformed JSON', () => {
    expect(details(resolutionOf(variantAnswer({ attachment: '{' })), toObject, null)).toMatchObject({
      value: null,
      reason: 'ERROR',
      errorCode: 'PARSE_ERROR',
      flagMetadata: { serviceReason: 'MATCH' },
    });
  });
});
