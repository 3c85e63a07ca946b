import { describe, expect, it } from 'vitest';
import { failureKindOf, policyOfOutcome } from '../../src/http/reply.js';
import { failedWith, replied } from './outcomes.fixture.js';

describe('the kind of failure that a status stands for', () => {
  it.each([
    ['rejected-request', [400, 422]],
    ['unauthorized', [401]],
    ['forbidden', [403]],
    ['not-found', [404]],
    ['too-large', [413]],
    ['gateway', [408, 429, 502, 503, 504]],
    ['service-error', [500]],
    ['unexpected-status', [204, 301, 302, 402, 405, 418, 501, 505]],
  ] as const)('is %s for %j', (kind, statuses) => {
    expect(statuses.map(failureKindOf)).toEqual(statuses.map(() => kind));
  });
});

describe('what follows from an attempt', () => {
  it.each([
    ['a time-out', failedWith('timeout'), { countsForCircuit: 'yes', retryable: false }],
    ['a 503', replied(503), { countsForCircuit: 'yes', retryable: true }],
    ['a 500', replied(500), { countsForCircuit: 'if-a-check-fails', retryable: false }],
    ['a request that was ended', failedWith('closed'), { countsForCircuit: 'no', retryable: false }],
    ['a rejected credential', replied(401), { cause: 'credentials', responded: true }],
    ['a credential that is missing', failedWith('credentials'), { cause: 'credentials', responded: false }],
  ] as const)('is known of %s', (_, outcome, expected) => {
    expect(policyOfOutcome(outcome)).toMatchObject(expected);
  });

  it('is nothing for a 200', () => {
    expect(policyOfOutcome(replied(200))).toBeUndefined();
  });
});
