/*
 * These types describe the questions that the provider asks Flipt, the answers to them, and where each answer comes
 * from.
 */

import type { Failure } from './failure.js';

/**
 * Asks for the value of one flag, for one entity with its attributes. All parts of a question are text, because Flipt
 * accepts only text in a context.
 */
export interface Question {
  readonly namespace: string;
  readonly flag: string;
  /** The id of the entity, or `''` if the caller gave no id. Flipt accepts `''`. */
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * The entity and the attributes of a context, as text. The names of the attributes are in ascending order, and no name
 * occurs twice.
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
 * Flipt's reason for an answer, without the suffix `_EVALUATION_REASON`. A later version of Flipt might send other
 * reasons than these four.
 */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

/** An answer about a variant flag. */
export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** The key of the variant, or `''` if the answer has no variant. */
  readonly variant: string;
  /** The attachment as the JSON text that Flipt sent. The text is `''` or `null` if the variant has no attachment. */
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
   * The keys of the segments that matched, or `undefined` if Flipt did not send `segmentKeys`. If a rollout matched and
   * this list is empty, the rollout was one by percentage (a threshold rollout).
   */
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/**
 * A flag that exists, but that this version of the package cannot evaluate, usually because a newer Flipt has written
 * the flag in an unknown form.
 */
export interface UnreadableFlag {
  /**
   * Says which part of the flag cannot be read, what the provider expected in this part, and what it found instead. The
   * reason contains no value from a segment.
   */
  readonly reason: string;
  /** The JSON text that Flipt wrote for the flag, in one line. */
  readonly text: string;
}

/** This answer means that the flag, or its namespace, does not exist. */
export const MISSING = { kind: 'missing' } as const;

/** Says why Flipt or the provider could not answer a question. */
export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

/** An answer about a flag that exists. */
export type ValueAnswer = VariantAnswer | BooleanAnswer;
export type KnownAnswer = ValueAnswer | typeof MISSING;
export type Answer = KnownAnswer | FailedAnswer;

/** Never rejects. `until`, in milliseconds of `LoopTime.now()`, is how long the caller waits. */
export type Ask = (question: Question, until: number) => Promise<Answer>;
/**
 * The result of a request with several questions: one answer for each question, in the order of the questions, or the
 * failure of the whole request.
 */
export type BatchOutcome = readonly Answer[] | Failure;
/** Sends several questions in one request. Aborting `signal` ends the request. */
export type AskAtOnce = (questions: readonly Question[], signal?: AbortSignal) => Promise<BatchOutcome>;

/**
 * Checks whether Flipt answers, with a question that has an empty flag key. The promise never rejects: it resolves with
 * `undefined` if Flipt answers, or else with the failure.
 */
export type HealthCheck = () => Promise<Failure | undefined>;

/** Says how many bytes questions take in the body of a request, in UTF-8. */
export interface QuestionSizes {
  /**
   * How many bytes the body of a request without questions has, minus one byte. The one byte is subtracted because `of`
   * counts a comma for each question, although the first question in the body needs no comma.
   */
  readonly empty: number;
  /** Returns how many bytes one question adds to the body of a request, including a comma. */
  readonly of: (question: Question) => number;
}

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

/** Returns whether the whole request has failed. */
export function isFailure(outcome: BatchOutcome): outcome is Failure {
  return 'kind' in outcome;
}

/** The failure of a question to which Flipt's response contains no answer. */
export const UNANSWERED: Failure = { kind: 'unreadable', message: 'Flipt left this question unanswered' };

/**
 * Returns whether a rollout by percentage (a threshold rollout) decided the value of a boolean flag. With a rollout by
 * percentage, Flipt sends an empty list of segments. With a rollout to segments, the list from Flipt names the
 * segments.
 */
export function isSplit(answer: Answer): boolean {
  return answer.kind === 'boolean' && answer.reason === 'MATCH' && answer.segmentKeys?.length === 0;
}

/** An answer, together with its source and its age. */
export interface Resolution {
  readonly answer: Answer;
  /**
   * Where the answer comes from. `service` means that Flipt has just answered, or that the question has failed. `cache`
   * means that Flipt answered an equal question earlier. `in-process` means that the provider evaluated the flag in
   * this process, from a snapshot.
   */
  readonly source: 'service' | 'cache' | 'in-process';
  /**
   * How many milliseconds ago Flipt gave the answer. For an answer from a snapshot, how many milliseconds ago Flipt
   * last confirmed the snapshot.
   */
  readonly ageMs: number;
  /**
   * Is `true` if Flipt does not confirm the answer at present, for example because the last attempt to refresh the
   * answer failed, or because the provider sends no requests to Flipt.
   */
  readonly stale: boolean;
  /** The version of the snapshot from which the flag was evaluated. */
  readonly version?: string;
}

/** Makes the resolution of a question that has failed. */
export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
