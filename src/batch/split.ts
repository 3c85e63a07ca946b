import type { Answer } from '../model/answer.js';
import type { Question } from '../model/question.js';

export interface Waiting {
  readonly question: Question;
  readonly bytes: number;
  readonly answer: (answer: Answer) => void;
}

export interface Limits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/** Names the questions that may share a request. */
export type LaneOf = (question: Question) => string;

/**
 * Takes the next request's questions from those that wait: the first one's lane, in order, as many as fit.
 * The first one is always taken, so that a question larger than a whole request goes alone.
 */
export function nextBatch(
  waiting: readonly Waiting[],
  { maxItems, maxBytes }: Limits,
  emptyBytes: number,
  laneOf: LaneOf,
): { batch: Waiting[]; rest: Waiting[] } {
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  let lane: string | undefined;
  let bytes = emptyBytes;
  for (const [at, one] of waiting.entries()) {
    const its = laneOf(one.question);
    lane ??= its;
    if (its !== lane) {
      rest.push(one);
      continue;
    }
    const fits = batch.length === 0 || (batch.length < maxItems && bytes + one.bytes <= maxBytes);
    // Full: a lane keeps its order, so nothing behind it is taken, and thousands may wait.
    if (!fits) return { batch, rest: rest.concat(waiting.slice(at)) };
    batch.push(one);
    bytes += one.bytes;
  }
  return { batch, rest };
}
