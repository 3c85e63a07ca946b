import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../src/provider/mapping/details.js';
import type { BooleanAnswer, VariantAnswer } from '../../../src/model/answer.js';
import { booleanAnswer, resolutionOf, variantAnswer } from './answers.fixture.js';

describe('the reason of a value', () => {
  it.each<[string, VariantAnswer | BooleanAnswer, string]>([
    ['a variant that matched', variantAnswer({ reason: 'MATCH' }), 'TARGETING_MATCH'],
    ['a variant matched without segments', variantAnswer({ segmentKeys: [] }), 'TARGETING_MATCH'],
    ['a default variant', variantAnswer({ reason: 'DEFAULT' }), 'DEFAULT'],
    ['a variant for no known reason', variantAnswer({ reason: 'UNKNOWN' }), 'UNKNOWN'],
    ['a variant for a reason still to be invented', variantAnswer({ reason: 'MOON_PHASE' }), 'UNKNOWN'],
    ['a boolean by its default', booleanAnswer({ reason: 'DEFAULT' }), 'DEFAULT'],
    ['a boolean by a segment', booleanAnswer({ reason: 'MATCH', segmentKeys: ['a'] }), 'TARGETING_MATCH'],
    ['a boolean by a threshold', booleanAnswer({ reason: 'MATCH', segmentKeys: [] }), 'SPLIT'],
    [
      'a boolean that matched where the service names no segments',
      booleanAnswer({ reason: 'MATCH', segmentKeys: undefined }),
      'TARGETING_MATCH',
    ],
    ['a disabled boolean', booleanAnswer({ reason: 'FLAG_DISABLED', enabled: false }), 'DEFAULT'],
    ['a boolean for no known reason', booleanAnswer({ reason: 'UNKNOWN' }), 'UNKNOWN'],
  ])('%s', (_, answer, reason) => {
    expect(reasonOf(answer, resolutionOf(answer))).toBe(reason);
    expect(reasonOf(answer, resolutionOf(answer, { source: 'cache' })), 'from the cache').toBe('CACHED');
    expect(reasonOf(answer, resolutionOf(answer, { source: 'cache', stale: true })), 'unconfirmed').toBe(
      'STALE',
    );
  });
});
