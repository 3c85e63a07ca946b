import {
  ErrorCode,
  GeneralError,
  InvalidContextError,
  ProviderFatalError,
  ProviderNotReadyError,
  TargetingKeyMissingError,
  type OpenFeatureError,
} from '@openfeature/server-sdk';
import { policyOf, rejectsCredentials, type Failure } from '../../model/failure.js';

export const CLOSED: Failure = {
  kind: 'closed',
  message: 'the Flipt provider is closed: create a new FliptProvider',
};

/** Returns OpenFeature's error code for a failure. */
export function errorCodeOf(failure: Failure): ErrorCode {
  return ErrorCode[policyOf(failure).errorCode];
}

const ERRORS = {
  GENERAL: GeneralError,
  INVALID_CONTEXT: InvalidContextError,
  PARSE_ERROR: GeneralError,
  PROVIDER_NOT_READY: ProviderNotReadyError,
  TARGETING_KEY_MISSING: TargetingKeyMissingError,
} as const;

/** Returns OpenFeature's error for a failure. */
export function errorOf(failure: Failure): OpenFeatureError {
  return new ERRORS[policyOf(failure).errorCode](failure.message);
}

/**
 * Returns the error with which `initialize` rejects after a failed start. The error is PROVIDER_FATAL if Flipt has
 * rejected the credentials, PROVIDER_NOT_READY if the provider was closed, and GENERAL after any other failure.
 */
export function startErrorOf(failure: Failure): OpenFeatureError {
  if (failure.kind === 'closed') return errorOf(failure);
  return new (rejectsCredentials(failure) ? ProviderFatalError : GeneralError)(failure.message);
}
