import { failed, type Answer } from './answer.js';
import type { Failure } from './failure.js';

/** An answer with where it comes from. */
export interface Resolution {
  readonly answer: Answer;
  /** `cache`: it was known before this question was asked. `in-process`: evaluated here, from a snapshot. */
  readonly source: 'service' | 'cache' | 'in-process';
  /** Milliseconds since the service gave it, or confirmed the snapshot last. */
  readonly ageMs: number;
  /** The service could not confirm it: its refresh failed, or it is not being asked at present. */
  readonly stale: boolean;
  /** Of the request that brought the answer, where the answer itself does not name it. */
  readonly requestId?: string | undefined;
  /** Of the snapshot that it was evaluated from. */
  readonly version?: string;
}

/** The resolution of a question that failed. */
export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
