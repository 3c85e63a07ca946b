import type { Answer, Question } from '../model.js';

export interface Waiting {
  readonly question: Question;
  readonly bytes: number;
  readonly answer: (answer: Answer) => void;
}

export interface Limits {
  readonly maxItems: number;
  readonly maxBytes: number;
}

/**
 * Takes the next request's questions from those that wait: the first one's namespace, in order, as many as fit.
 * The first one is always taken, so that a question larger than a whole request goes alone.
 */
export function nextBatch(
  waiting: readonly Waiting[],
  { maxItems, maxBytes }: Limits,
  emptyBytes: number,
): { batch: Waiting[]; rest: Waiting[] } {
  const namespace = waiting[0]?.question.namespace;
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  let bytes = emptyBytes;
  let full = false;
  for (const one of waiting) {
    const fits = batch.length === 0 || (batch.length < maxItems && bytes + one.bytes <= maxBytes);
    if (!full && one.question.namespace === namespace && fits) {
      batch.push(one);
      bytes += one.bytes;
    } else {
      full ||= one.question.namespace === namespace;
      rest.push(one);
    }
  }
  return { batch, rest };
}
