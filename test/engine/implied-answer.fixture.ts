import type { Explanation } from '../../src/engine/explanation.js';

/** Returns what the decision of an explanation says about the answer. */
export function impliedAnswer({ decidedBy, steps }: Explanation): object {
  switch (decidedBy.by) {
    case 'missing':
      return { kind: 'missing' };
    case 'unreadable':
      return { kind: 'unreadable' };
    case 'disabled':
      return { match: false, reason: 'FLAG_DISABLED', segmentKeys: [] };
    case 'none':
      return { segmentKeys: [] };
    case 'step': {
      const step = steps[decidedBy.number - 1];
      if (step === undefined) return { kind: 'no such step' };
      if (step.kind === 'threshold') return { enabled: step.value, reason: 'MATCH', segmentKeys: [] };
      const segmentKeys = step.segments.flatMap(({ key, matched }) => (matched ? [key] : []));
      if (step.kind === 'rollout') return { enabled: step.value, reason: 'MATCH', segmentKeys };
      const { sharing } = step;
      const share = sharing?.chosen === undefined ? undefined : sharing.shares[sharing.chosen];
      const match = sharing === undefined || share !== undefined;
      return { match, segmentKeys, ...(share?.variant !== undefined && { variant: share.variant }) };
    }
  }
}
