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

export function errorOf(failure: Failure): OpenFeatureError {
  return new ERRORS[policyOf(failure).errorCode](failure.message);
}

/** PROVIDER_FATAL where the credentials were rejected: the SDK then calls the provider no more. */
export function startErrorOf(failure: Failure): OpenFeatureError {
  if (failure.kind === 'closed') return errorOf(failure);
  return new (rejectsCredentials(failure) ? ProviderFatalError : GeneralError)(failure.message);
}
