import { ErrorCode } from '@openfeature/server-sdk';
import { traitsOf } from '../../model/failure-traits.js';
import type { Failure } from '../../model/failure.js';

/** OpenFeature's code for what kept an answer away. */
export function errorCodeOf(failure: Failure): ErrorCode {
  return ErrorCode[traitsOf(failure).errorCode];
}
