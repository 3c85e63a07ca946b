import { ErrorCode, StandardResolutionReasons, type ResolutionDetails } from '@openfeature/server-sdk';
import { isSplit, type ValueAnswer, type Resolution, type VariantAnswer } from '../../model/answer.js';
import { errorCodeOf } from './openfeature-errors.js';
import type { Translate } from '../../model/value-of-type.js';
import { quoted } from '../../base/text/describe.js';

type Metadata = Record<string, string | number | boolean>;

/**
 * Makes the function that turns a resolution into OpenFeature's details, for one type of value. Each call of the
 * returned function gives a fresh object. A failure is returned and not thrown, because the SDK drops the metadata of a
 * thrown error, and takes a `code` of that error, such as `ECONNREFUSED`, for an OpenFeature error code.
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
  const { requestId = answer.requestId } = resolution;
  if (requestId !== '') metadata.requestId = requestId;
  return withAge(metadata, resolution);
}

function withAge(metadata: Metadata, { source, ageMs, version }: Resolution): Metadata {
  // A snapshot that the service has never confirmed has no age.
  if (source !== 'service' && ageMs !== Infinity) metadata.ageMs = Math.round(ageMs);
  if (version !== undefined) metadata.version = version;
  return metadata;
}

function error<T>(value: T, errorCode: ErrorCode, errorMessage: string, flagMetadata: Metadata) {
  return { value, reason: StandardResolutionReasons.ERROR, errorCode, errorMessage, flagMetadata };
}

/**
 * Returns the reason for a value that the service decided. STALE and CACHED come before Flipt's own reason, which would
 * hide that a value might be old.
 */
export function reasonOf(answer: ValueAnswer, resolution: Resolution): string {
  if (resolution.stale) return StandardResolutionReasons.STALE;
  if (resolution.source === 'cache') return StandardResolutionReasons.CACHED;
  return serviceReasonOf(answer);
}

/** Returns the service's own reason in OpenFeature's words, whether the answer is fresh, cached or stale. */
export function serviceReasonOf(answer: ValueAnswer): string {
  switch (answer.reason) {
    case 'MATCH':
      return isSplit(answer) ? StandardResolutionReasons.SPLIT : StandardResolutionReasons.TARGETING_MATCH;
    case 'DEFAULT':
      return StandardResolutionReasons.DEFAULT;
    case 'FLAG_DISABLED':
      // A boolean flag that is off has a value, which earlier versions of Flipt and the snapshot call its default.
      return answer.kind === 'boolean'
        ? StandardResolutionReasons.DEFAULT
        : StandardResolutionReasons.DISABLED;
    default:
      return StandardResolutionReasons.UNKNOWN;
  }
}

/**
 * Returns the reason if an answer has no variant, so that the caller's default is used, and `undefined` for any other
 * answer.
 */
export function reasonWithoutVariant({ reason, variant }: VariantAnswer): string | undefined {
  if (reason === 'FLAG_DISABLED') return StandardResolutionReasons.DISABLED;
  return variant === '' ? StandardResolutionReasons.DEFAULT : undefined;
}
