/**
 * Why nothing was learned.
 * - `connection`: refused, reset, cut short, not HTTP · `timeout`: one attempt took too long
 * - `status`: an answer other than 200 · `unreadable`: a 200 that is not the answer asked for
 * - `item`: the service reports that it could not evaluate this one question
 * - `deadline`: the resolve's own time is up · `overload`: too many questions wait already
 * - `unavailable`: the circuit breaker is open · `closed`: the provider was closed
 * - `credentials`: they could not be had, so nothing was sent
 * - `context`: it cannot be put to the service · `targeting-key`: there is none, though it is required
 */
export type FailureKind =
  | 'connection'
  | 'timeout'
  | 'status'
  | 'unreadable'
  | 'item'
  | 'deadline'
  | 'overload'
  | 'unavailable'
  | 'closed'
  | 'credentials'
  | 'context'
  | 'targeting-key';

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a person; never holds a credential. */
  readonly message: string;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Set where the question was in a request of its own: the failure is about it alone. */
  readonly alone?: boolean;
  /** What the network said, where that is all there was. */
  readonly cause?: Error;
}
