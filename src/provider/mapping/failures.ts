import { ErrorCode } from '@openfeature/server-sdk';
import type { Failure } from '../../model/failure.js';

/** OpenFeature's code for what kept an answer away. */
export function errorCodeOf(failure: Failure): ErrorCode {
  switch (failure.kind) {
    case 'unreadable':
      return ErrorCode.PARSE_ERROR;
    case 'closed':
      return ErrorCode.PROVIDER_NOT_READY;
    case 'context':
      return ErrorCode.INVALID_CONTEXT;
    case 'targeting-key':
      return ErrorCode.TARGETING_KEY_MISSING;
    case 'connection':
    case 'timeout':
    case 'status':
    case 'item':
    case 'deadline':
    case 'overload':
    case 'unavailable':
    case 'credentials':
      return ErrorCode.GENERAL;
  }
}
