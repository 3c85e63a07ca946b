/* These types describe what the service is asked, what it answers, and where an answer comes from. */

import type { Failure } from './failure.js';

/** A question that the service evaluates. All parts of a question are text, because the service compares only text. */
export interface Question {
  readonly namespace: string;
  readonly flag: string;
  /** The entity's id, or `''` if the caller has none; the service accepts `''`. */
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The entity and the attributes of a context, as text. The names of the attributes are in ascending order, and each
 * name occurs once.
 */
export interface Subject {
  readonly entity: string;
  readonly names: readonly string[];
  /** The values of the attributes in the order of `names`. */
  readonly texts: readonly string[];
}

export function questionOf(namespace: string, flag: string, { entity, names, texts }: Subject): Question {
  // The object has no prototype, so that an attribute can be called __proto__.
  const attributes = Object.create(null) as Record<string, string>;
  names.forEach((name, at) => {
    attributes[name] = texts[at] ?? '';
  });
  return { namespace, flag, entity, attributes };
}

/**
 * The service's reason without its suffix `_EVALUATION_REASON`. A later version of the service might send other words
 * than these four.
 */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

/** An answer about a variant flag. */
export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** The variant's key, or `''` if there is none. */
  readonly variant: string;
  /** The attachment as JSON text, as the service wrote it, or `''` or `null` if the variant has none. */
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
  /**
   * The keys of the segments that matched, or `undefined` if the service did not send the member. Only a list that was
   * sent and is empty means that a threshold decided.
   */
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/**
 * A flag that exists but cannot be evaluated here, because a newer service has written what this version does not know.
 */
export interface UnreadableFlag {
  /**
   * The place in the flag that cannot be read, what was expected there, and what was found. The reason holds no value
   * of a segment.
   */
  readonly reason: string;
  /** The flag as the service wrote it: JSON text in one line. */
  readonly text: string;
}

/** The answer that the flag, or its namespace, does not exist. */
export const MISSING = { kind: 'missing' } as const;

/** An outcome that says that there is no answer, and why. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

/** An answer that gives a value, unlike an answer that the flag is missing. */
export type ValueAnswer = VariantAnswer | BooleanAnswer;
export type KnownAnswer = ValueAnswer | typeof MISSING;
export type Answer = KnownAnswer | FailedAnswer;

/**
 * Returns the time at which the last caller gives up, in milliseconds of `clock.now()`. Callers that join the question
 * can move this time to a later one.
 */
export type Deadline = () => number;
/**
 * Asks a question. The promise never rejects, because a failure is a {@link FailedAnswer}. Without a deadline, callers
 * wait until the promise settles.
 */
export type Ask = (question: Question, deadline?: Deadline) => Promise<Answer>;
/**
 * The answers to the questions of a request, one for each question in their order, or the failure of the whole request.
 */
export type BatchOutcome = readonly Answer[] | Failure;
/** Sends one request with questions. `signal` ends it. */
export type AskAtOnce = (questions: readonly Question[], signal?: AbortSignal) => Promise<BatchOutcome>;

/**
 * Asks the service a question that concerns no flag. Resolves with the failure of that question, or with `undefined` if
 * the service answers. Never rejects.
 */
export type HealthCheck = () => Promise<Failure | undefined>;

/** The numbers of bytes that questions take in the body of a request, in UTF-8. */
export interface QuestionSizes {
  /** The bytes of a body without questions, minus one for the comma that the first question does not need. */
  readonly empty: number;
  /** Returns how many bytes one question adds. */
  readonly of: (question: Question) => number;
}

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

/** Returns whether a whole request has failed. */
export function isFailure(outcome: BatchOutcome): outcome is Failure {
  return 'kind' in outcome;
}

/** The failure of a question that the service's answer leaves out. */
export const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

/**
 * Returns whether a threshold decided about a boolean flag. If a threshold decided, the service sends an empty list of
 * segments; if a rollout to segments decided, the list names the segments.
 */
export function isSplit(answer: Answer): boolean {
  return answer.kind === 'boolean' && answer.reason === 'MATCH' && answer.segmentKeys?.length === 0;
}

/** An answer, and where it comes from. */
export interface Resolution {
  readonly answer: Answer;
  /**
   * Where the answer comes from. `cache` means that the answer was known before this question was asked; `in-process`
   * means that the answer was evaluated in this process, from a snapshot.
   */
  readonly source: 'service' | 'cache' | 'in-process';
  /** How many milliseconds ago the service gave the answer, or last confirmed the snapshot. */
  readonly ageMs: number;
  /**
   * Whether the service could not confirm the answer, because its refresh failed or because the service is not asked at
   * present.
   */
  readonly stale: boolean;
  /** The id of the request that brought the answer, if the answer itself does not name it. */
  readonly requestId?: string | undefined;
  /** The version of the snapshot that the answer was evaluated from. */
  readonly version?: string;
}

/** Makes the resolution of a question that failed. */
export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
