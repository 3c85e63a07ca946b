import { FAILURES, type FailureTraits } from '../model/failure-traits.js';
import type { Failure, FailureKind } from '../model/failure.js';
import type { Reply } from './reply.js';
import { failureKindOf } from './status.js';

/** The outcome of an attempt: a kind of failure, or `undefined` for a 200. */
export function failureKindOfOutcome(outcome: Reply | Failure): FailureKind | undefined {
  if (outcome.kind !== 'reply') return outcome.kind;
  return outcome.status === 200 ? undefined : failureKindOf(outcome.status);
}

/** What follows from an attempt that failed; `undefined` for a 200. */
export function traitsOfOutcome(outcome: Reply | Failure): FailureTraits | undefined {
  const kind = failureKindOfOutcome(outcome);
  return kind && FAILURES[kind];
}
