/**
 * The domain's words. A {@link Question} is what the service is asked about one flag and one entity;
 * an {@link Answer} is what is known about it afterwards.
 */

/** What the service evaluates. Everything is text: that is all the service compares. */
export interface Question {
  readonly namespace: string;
  readonly flag: string;
  /** The entity's id; `''` where the caller has none, which the service accepts. */
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Whom a question is about: what a context says, as text. Names are in ascending order, without repetition. */
export interface Subject {
  readonly entity: string;
  readonly names: readonly string[];
  /** The values of `names`, position by position. */
  readonly texts: readonly string[];
}

export function questionOf(namespace: string, flag: string, { entity, names, texts }: Subject): Question {
  // Without a prototype, so that an attribute may be called __proto__.
  const attributes = Object.create(null) as Record<string, string>;
  names.forEach((name, at) => {
    attributes[name] = texts[at] ?? '';
  });
  return { namespace, flag, entity, attributes };
}

/** The service's reason, without its suffix `_EVALUATION_REASON`. Other words than these four may come. */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

/** An answer about a variant flag. */
export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** The variant's key, `''` where there is none. */
  readonly variant: string;
  /** JSON text as the service wrote it; `''` or `null` where the variant has none. */
  readonly attachment: string;
  readonly reason: ServiceReason;
  readonly segmentKeys: readonly string[];
  readonly requestId: string;
}

/** An answer about a boolean flag. */
export interface BooleanAnswer {
  readonly kind: 'boolean';
  readonly enabled: boolean;
  readonly reason: ServiceReason;
  /** `undefined` where the service did not send the member: only a present, empty list tells of a split. */
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/** The flag, or its namespace, does not exist. */
export interface MissingAnswer {
  readonly kind: 'missing';
}

/** Nothing was learned. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

export type KnownAnswer = VariantAnswer | BooleanAnswer | MissingAnswer;
export type Answer = KnownAnswer | FailedAnswer;

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

/** An answer with where it comes from. */
export interface Told {
  readonly answer: Answer;
  /** `cache`: it was known before this question was asked. */
  readonly source: 'service' | 'cache';
  /** Milliseconds since the service gave it. */
  readonly ageMs: number;
  /** The service could not confirm it: its refresh failed, or it is not being asked at present. */
  readonly stale: boolean;
}

/** Never rejects: what went wrong is a {@link FailedAnswer}. */
export type Ask = (question: Question) => Promise<Answer>;
/** Answers in the order of the questions, one each. Never rejects. */
export type AskMany = (questions: readonly Question[]) => Promise<readonly Answer[]>;
/** One request: answers in the order of the questions, one each, or what kept the whole request from them. */
export type AskAtOnce = (questions: readonly Question[]) => Promise<readonly Answer[] | Failure>;

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

/** Tells a request's failure from its answers. */
export function isFailure(outcome: readonly Answer[] | Failure): outcome is Failure {
  return 'kind' in outcome;
}

/** For a position that an answer leaves empty. */
export const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

/** A failure, told of a question. */
export function toldFailure(failure: Failure): Told {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
