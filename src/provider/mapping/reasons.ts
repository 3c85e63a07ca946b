import { StandardResolutionReasons } from '@openfeature/server-sdk';
import { isSplit, type ValueAnswer, type VariantAnswer, type Resolution } from '../../model/answer.js';

/** The reason for a value that the service decided. Flipt's own would hide that a value may be old, so it comes last. */
export function reasonOf(answer: ValueAnswer, resolution: Resolution): string {
  if (resolution.stale) return StandardResolutionReasons.STALE;
  if (resolution.source === 'cache') return StandardResolutionReasons.CACHED;
  return serviceReasonOf(answer);
}

/** The service's own reason in OpenFeature's words, whether the answer is fresh, cached or stale. */
export function serviceReasonOf(answer: ValueAnswer): string {
  switch (answer.reason) {
    case 'MATCH':
      return isSplit(answer) ? StandardResolutionReasons.SPLIT : StandardResolutionReasons.TARGETING_MATCH;
    case 'DEFAULT':
      return StandardResolutionReasons.DEFAULT;
    case 'FLAG_DISABLED':
      return StandardResolutionReasons.DISABLED;
    default:
      return StandardResolutionReasons.UNKNOWN;
  }
}

/** The reason when an answer has no variant, so that the caller's default is used; `undefined` for any other answer. */
export function reasonWithoutVariant({ reason, variant }: VariantAnswer): string | undefined {
  if (reason === 'FLAG_DISABLED') return StandardResolutionReasons.DISABLED;
  return variant === '' ? StandardResolutionReasons.DEFAULT : undefined;
}
