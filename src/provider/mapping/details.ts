import { ErrorCode, StandardResolutionReasons, type ResolutionDetails } from '@openfeature/server-sdk';
import { isSplit, type ValueAnswer, type Resolution, type VariantAnswer } from '../../model/answer.js';
import { errorCodeOf } from './openfeature-errors.js';
import type { Translate } from '../../model/value-of-type.js';
import { quoted } from '../../base/text/describe.js';

type Metadata = Record<string, string | number | boolean>;

/**
 * Failures are details, too: the SDK would drop the metadata of a thrown error, and take a `code` such as ECONNREFUSED
 * for OpenFeature's. Each call makes a new object, because the SDK freezes flagMetadata.
 */
export function resolutionDetails<T>(namespace: string, translate: Translate<T>) {
  return (resolution: Resolution, flag: string, defaultValue: T): ResolutionDetails<T> => {
    const { answer } = resolution;
    if (answer.kind === 'failed') {
      const code = errorCodeOf(answer.failure);
      return error(defaultValue, code, answer.failure.message, { flagSetId: namespace });
    }
    if (answer.kind === 'missing') {
      const message = `Flipt has no flag ${quoted(flag)} in namespace ${quoted(namespace)}`;
      const flagMetadata = withAge({ flagSetId: namespace, source: resolution.source }, resolution);
      return error(defaultValue, ErrorCode.FLAG_NOT_FOUND, message, flagMetadata);
    }
    const flagMetadata = metadataOf(resolution, answer, namespace);
    if (answer.kind === 'variant') {
      const reason = reasonWithoutVariant(answer);
      if (reason !== undefined) {
        if (answer.variant !== '') flagMetadata.disabledVariant = answer.variant;
        return { value: defaultValue, reason, flagMetadata };
      }
    }
    const translated = translate(answer);
    if ('problem' in translated) {
      const message = `flag ${quoted(flag)}: ${translated.message}`;
      return error(defaultValue, ErrorCode[translated.problem], message, flagMetadata);
    }
    const { value, variant } = translated;
    return { value, variant, reason: reasonOf(answer, resolution), flagMetadata };
  };
}

function metadataOf(resolution: Resolution, answer: ValueAnswer, namespace: string): Metadata {
  const { reason: serviceReason, segmentKeys } = answer;
  const metadata: Metadata = { flagSetId: namespace, serviceReason, source: resolution.source };
  if (segmentKeys?.length) metadata.segmentKeys = segmentKeys.join(',');
  if (answer.requestId !== '') metadata.requestId = answer.requestId;
  return withAge(metadata, resolution);
}

function withAge(metadata: Metadata, { source, ageMs, version }: Resolution): Metadata {
  // A snapshot that Flipt has never confirmed has no age.
  if (source !== 'service' && ageMs !== Infinity) metadata.ageMs = Math.round(ageMs);
  if (version !== undefined) metadata.version = version;
  return metadata;
}

function error<T>(value: T, errorCode: ErrorCode, errorMessage: string, flagMetadata: Metadata) {
  return { value, reason: StandardResolutionReasons.ERROR, errorCode, errorMessage, flagMetadata };
}

export function reasonOf(answer: ValueAnswer, resolution: Resolution): string {
  if (resolution.stale) return StandardResolutionReasons.STALE;
  if (resolution.source === 'cache') return StandardResolutionReasons.CACHED;
  return serviceReasonOf(answer);
}

/** Flipt's own reason in OpenFeature's words, whatever the answer's age. */
export function serviceReasonOf(answer: ValueAnswer): string {
  switch (answer.reason) {
    case 'MATCH':
      return isSplit(answer) ? StandardResolutionReasons.SPLIT : StandardResolutionReasons.TARGETING_MATCH;
    case 'DEFAULT':
      return StandardResolutionReasons.DEFAULT;
    case 'FLAG_DISABLED':
      // Flipt up to 2.12 gives DEFAULT for a boolean flag that is off; a later one may give FLAG_DISABLED.
      return answer.kind === 'boolean'
        ? StandardResolutionReasons.DEFAULT
        : StandardResolutionReasons.DISABLED;
    default:
      return StandardResolutionReasons.UNKNOWN;
  }
}

/** The reason with which the caller gets its default, if no variant applies. */
export function reasonWithoutVariant({ reason, variant }: VariantAnswer): string | undefined {
  if (reason === 'FLAG_DISABLED') return StandardResolutionReasons.DISABLED;
  return variant === '' ? StandardResolutionReasons.DEFAULT : undefined;
}
