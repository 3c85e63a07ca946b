import {
  GeneralError,
  InvalidContextError,
  ProviderFatalError,
  ProviderNotReadyError,
  TargetingKeyMissingError,
  type OpenFeatureError,
} from '@openfeature/server-sdk';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';

/** OpenFeature's error for a failure. */
export function errorOf(failure: Failure): OpenFeatureError {
  switch (traitsOf(failure).errorCode) {
    case 'INVALID_CONTEXT':
      return new InvalidContextError(failure.message);
    case 'TARGETING_KEY_MISSING':
      return new TargetingKeyMissingError(failure.message);
    case 'PROVIDER_NOT_READY':
      return new ProviderNotReadyError(failure.message);
    default:
      return new GeneralError(failure.message);
  }
}

/**
 * OpenFeature's error for a failed start. Rejected credentials are fatal until the service accepts them; everything
 * else is GENERAL.
 */
export function startErrorOf(failure: Failure): OpenFeatureError {
  if (failure.kind === 'closed') return errorOf(failure);
  const { cause, responded } = traitsOf(failure);
  const isFatal = cause === 'credentials' && responded;
  return isFatal ? new ProviderFatalError(failure.message) : new GeneralError(failure.message);
}
