import { failed, type Answer } from './answer.js';
import type { Failure } from './failure.js';

/** An answer, and where it comes from. */
export interface Resolution {
  readonly answer: Answer;
  /** `cache`: the answer was known before this question was asked. `in-process`: evaluated here, from a snapshot. */
  readonly source: 'service' | 'cache' | 'in-process';
  /** Milliseconds since the service gave the answer, or last confirmed the snapshot. */
  readonly ageMs: number;
  /** The service could not confirm the answer: its refresh failed, or the service is not asked at present. */
  readonly stale: boolean;
  /** Id of the request that brought the answer, if the answer itself does not name it. */
  readonly requestId?: string | undefined;
  /** Version of the snapshot that the answer was evaluated from. */
  readonly version?: string;
}

/** The resolution of a question that failed. */
export function failedResolution(failure: Failure): Resolution {
  return { answer: failed(failure), source: 'service', ageMs: 0, stale: false };
}
