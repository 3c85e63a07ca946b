import { ErrorCode, StandardResolutionReasons, type ResolutionDetails } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from '../../model/answer.js';
import type { Resolution } from '../../model/resolution.js';
import { errorCodeOf } from './failures.js';
import { reasonOf, reasonWithoutVariant } from './reasons.js';
import type { Translate } from './value.js';
import { quoted } from '../../text/quote.js';

type Metadata = Record<string, string | number | boolean>;

/** OpenFeature's details for the requested type. Each call returns a fresh object. */
export function resolutionDetails<T>(
  resolution: Resolution,
  namespace: string,
  flag: string,
  defaultValue: T,
  translate: Translate<T>,
): ResolutionDetails<T> {
  const { answer } = resolution;
  switch (answer.kind) {
    case 'failed':
      return error(defaultValue, errorCodeOf(answer.failure), answer.failure.message, {
        flagSetId: namespace,
      });
    case 'missing': {
      const message = `Flipt has no flag ${quoted(flag)} in namespace ${quoted(namespace)}`;
      const flagMetadata = withAge({ flagSetId: namespace, source: resolution.source }, resolution);
      return error(defaultValue, ErrorCode.FLAG_NOT_FOUND, message, flagMetadata);
    }
    case 'boolean':
    case 'variant':
      return decided(resolution, answer, namespace, flag, defaultValue, translate);
  }
}

function decided<T>(
  resolution: Resolution,
  answer: VariantAnswer | BooleanAnswer,
  namespace: string,
  flag: string,
  defaultValue: T,
  translate: Translate<T>,
): ResolutionDetails<T> {
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
  return {
    value: translated.value,
    variant: translated.variant,
    reason: reasonOf(answer, resolution),
    flagMetadata,
  };
}

function metadataOf(
  resolution: Resolution,
  answer: VariantAnswer | BooleanAnswer,
  namespace: string,
): Metadata {
  const metadata: Metadata = {
    flagSetId: namespace,
    serviceReason: answer.reason,
    source: resolution.source,
  };
  if (answer.segmentKeys !== undefined && answer.segmentKeys.length > 0) {
    metadata.segmentKeys = answer.segmentKeys.join(',');
  }
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

/** Returned, not thrown, because a thrown error would lose its metadata. */
function error<T>(
  value: T,
  errorCode: ErrorCode,
  errorMessage: string,
  flagMetadata: Metadata,
): ResolutionDetails<T> {
  return { value, reason: StandardResolutionReasons.ERROR, errorCode, errorMessage, flagMetadata };
}
