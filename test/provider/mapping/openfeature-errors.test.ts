import { describe, expect, it } from 'vitest';
import { errorCodeOf } from '../../../src/provider/mapping/openfeature-errors.js';
import type { FailureKind } from '../../../src/model/failure.js';

const CODES: Readonly<Record<FailureKind, string>> = {
  connection: 'GENERAL',
  'stale-connection': 'GENERAL',
  timeout: 'GENERAL',
  gateway: 'GENERAL',
  'service-error': 'GENERAL',
  'rejected-request': 'GENERAL',
  'rejected-question': 'GENERAL',
  'refused-request': 'GENERAL',
  'not-found': 'GENERAL',
  'too-large': 'GENERAL',
  unauthorized: 'GENERAL',
  forbidden: 'GENERAL',
  'unexpected-status': 'GENERAL',
  unreadable: 'PARSE_ERROR',
  item: 'GENERAL',
  credentials: 'GENERAL',
  deadline: 'GENERAL',
  overload: 'GENERAL',
  'flags-lost': 'GENERAL',
  'unreadable-flag': 'PARSE_ERROR',
  'no-snapshot': 'GENERAL',
  'circuit-open': 'GENERAL',
  closed: 'PROVIDER_NOT_READY',
  context: 'INVALID_CONTEXT',
  'targeting-key': 'TARGETING_KEY_MISSING',
  'flag-key': 'GENERAL',
  defect: 'GENERAL',
};

describe('the error code of a failure', () => {
  it.each(Object.entries(CODES) as [FailureKind, string][])('%s is %s', (kind, code) => {
    expect(errorCodeOf({ kind, message: '' })).toBe(code);
  });
});
