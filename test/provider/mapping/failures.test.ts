import { describe, expect, it } from 'vitest';
import { errorCodeOf } from '../../../src/provider/mapping/failures.js';
import type { FailureKind } from '../../../src/model/failure.js';

const CODES: Readonly<Record<FailureKind, string>> = {
  connection: 'GENERAL',
  timeout: 'GENERAL',
  status: 'GENERAL',
  unreadable: 'PARSE_ERROR',
  item: 'GENERAL',
  deadline: 'GENERAL',
  overload: 'GENERAL',
  unavailable: 'GENERAL',
  closed: 'PROVIDER_NOT_READY',
  credentials: 'GENERAL',
  context: 'INVALID_CONTEXT',
  'targeting-key': 'TARGETING_KEY_MISSING',
};

describe('the error code of a failure', () => {
  it.each(Object.entries(CODES) as [FailureKind, string][])('%s is %s', (kind, code) => {
    expect(errorCodeOf({ kind, message: '' })).toBe(code);
  });
});
