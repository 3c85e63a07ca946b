import { ErrorCode } from '@openfeature/server-sdk';
import { traitsOf } from '../../model/failure-traits.js';
import type { Failure } from '../../model/failure.js';

/** OpenFeature's error code for a failure. */
export function errorCodeOf(failure: Failure): ErrorCode {
  return ErrorCode[traitsOf(failure).errorCode];
}
