import { FAILURES, type FailurePolicy, type FailureKind } from '../model/failure.js';
import type { Outcome } from './reply.js';

const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [400, 'rejected-request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'gateway'],
  [413, 'too-large'],
  [422, 'rejected-request'],
  [429, 'gateway'],
  [500, 'service-error'],
  [502, 'gateway'],
  [503, 'gateway'],
  [504, 'gateway'],
]);

/** The kind of failure that an HTTP status other than 200 stands for. */
export function failureKindOf(status: number): FailureKind {
  return KINDS.get(status) ?? 'unexpected-status';
}

/** The outcome of an attempt: a kind of failure, or `undefined` for a 200. */
export function failureKindOfOutcome(outcome: Outcome): FailureKind | undefined {
  if (outcome.kind !== 'reply') return outcome.kind;
  return outcome.status === 200 ? undefined : failureKindOf(outcome.status);
}

/** What follows from an attempt that failed; `undefined` for a 200. */
export function policyOfOutcome(outcome: Outcome): FailurePolicy | undefined {
  const kind = failureKindOfOutcome(outcome);
  return kind && FAILURES[kind];
}
