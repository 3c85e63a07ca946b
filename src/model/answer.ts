import type { Failure } from './failure.js';

/** Flipt takes only text in a context. */
export interface Question {
  readonly namespace: string;
  readonly flag: string;
  /** `''` if the caller gave no id, which Flipt accepts. */
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The part of a question that comes from a context. */
export interface Subject {
  readonly entity: string;
  /** Of the attributes, in ascending order. */
  readonly names: readonly string[];
  /** In the order of `names`. */
  readonly texts: readonly string[];
}

export function questionOf(namespace: string, flag: string, { entity, names, texts }: Subject): Question {
  // Without a prototype, so that an attribute can be called `__proto__`.
  const attributes = Object.create(null) as Record<string, string>;
  names.forEach((name, at) => {
    attributes[name] = texts[at] ?? '';
  });
  return { namespace, flag, entity, attributes };
}

/** Without its suffix `_EVALUATION_REASON`. A later Flipt may send others. */
export type ServiceReason = 'MATCH' | 'DEFAULT' | 'FLAG_DISABLED' | 'UNKNOWN' | (string & {});

export interface VariantAnswer {
  readonly kind: 'variant';
  readonly match: boolean;
  /** Its key, or `''`. */
  readonly variant: string;
  /** Flipt's JSON text; `''` or `null` without an attachment. */
  readonly attachment: string;
  readonly reason: ServiceReason;
  readonly segmentKeys: readonly string[];
  readonly requestId: string;
}

export interface BooleanAnswer {
  readonly kind: 'boolean';
  readonly enabled: boolean;
  readonly reason: ServiceReason;
  readonly segmentKeys: readonly string[] | undefined;
  readonly requestId: string;
}

/** A flag in a form that this version of the package does not know, such as a newer Flipt's. */
export interface UnreadableFlag {
  /** The place in the flag, what was expected there and what was found, without any value of a segment. */
  readonly reason: string;
  /** The flag's JSON in one line. */
  readonly text: string;
}

/** There is no such flag, or no such namespace. */
export const MISSING = { kind: 'missing' } as const;

export interface FailedAnswer {
  readonly kind: 'failed';
  readonly failure: Failure;
}

export type ValueAnswer = VariantAnswer | BooleanAnswer;
export type KnownAnswer = ValueAnswer | typeof MISSING;
export type Answer = KnownAnswer | FailedAnswer;

/** Never rejects. `until`, in milliseconds of `LoopTime.now()`, is how long the caller waits. */
export type Ask = (question: Question, until: number) => Promise<Answer>;
/** An answer for each question, in their order, or the failure of the whole request. */
export type BatchOutcome = readonly Answer[] | Failure;
/** Asks several questions in one request. */
export type AskAtOnce = (questions: readonly Question[]) => Promise<BatchOutcome>;

export function failed(failure: Failure): FailedAnswer {
  return { kind: 'failed', failure };
}

export function isFailure(outcome: BatchOutcome): outcome is Failure {
  return 'kind' in outcome;
}

/** A rollout by percentage decided: Flipt then sends an empty list of segments. */
export function isSplit(answer: Answer): boolean {
  return answer.kind === 'boolean' && answer.reason === 'MATCH' && answer.segmentKeys?.length === 0;
}

/** An answer on its way to the caller. */
export interface Resolution {
  readonly answer: Answer;
  /** `service` also for a question that has failed. */
  readonly source: 'service' | 'cache' | 'in-process';
  /** Since Flipt gave the answer, or since it last confirmed the snapshot. */
  readonly ageMs: number;
  /** Flipt does not confirm the answer at present. */
  readonly stale: boolean;
  /** Of the snapshot. */
  readonly version?: string;
}

export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
