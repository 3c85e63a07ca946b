import { failed, type Answer } from './answer.js';
import type { Failure } from './failure.js';

/** An answer with where it comes from. */
export interface Resolution {
  readonly answer: Answer;
  /** `cache`: it was known before this question was asked. */
  readonly source: 'service' | 'cache';
  /** Milliseconds since the service gave it. */
  readonly ageMs: number;
  /** The service could not confirm it: its refresh failed, or it is not being asked at present. */
  readonly stale: boolean;
}

/** The resolution of a question that failed. */
export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
