import type { Answer, BooleanAnswer, VariantAnswer, Resolution } from '../../../src/model/answer.js';

/** These functions make answers for tests, in which the given members matter and all others are plain. */
export function variantAnswer(more: Partial<VariantAnswer> = {}): VariantAnswer {
  return {
    kind: 'variant',
    match: true,
    variant: 'blue',
    attachment: '',
    reason: 'MATCH',
    segmentKeys: ['everyone'],
    requestId: '',
    ...more,
  };
}

export function booleanAnswer(more: Partial<BooleanAnswer> = {}): BooleanAnswer {
  return { kind: 'boolean', enabled: true, reason: 'DEFAULT', segmentKeys: [], requestId: '', ...more };
}

export function resolutionOf(answer: Answer, more: Partial<Resolution> = {}): Resolution {
  return { answer, source: 'service', ageMs: 0, stale: false, ...more };
}
