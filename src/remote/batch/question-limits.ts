import type { Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { quoted } from '../../base/text/describe.js';
import type { BatchSettings } from './batch-queue.js';

/** Questions are turned away because the requests at once, at most `limit`, take too long; `waiting`: how many stay. */
export function tooLate(
  questions: number,
  waiting: number,
  limit: number,
  report: Runtime['report'],
): Failure {
  const why =
    `${questions + waiting} questions wait for Flipt, which answers ${limit} requests at once ` +
    '(batch.maxConcurrent) too slowly to answer all of them by their deadlines (deadlineMs)';
  return turnedAway(questions, 'late', why, report);
}

/** A question is turned away because so many wait already. */
export function queueFull(maxWaiting: number, report: Runtime['report']): Failure {
  const why = `${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`;
  return turnedAway(1, 'queue-full', why, report);
}

/** Reports that so many questions are turned away, and gives the failure of each. */
export function turnedAway(
  questions: number,
  reason: 'late' | 'queue-full',
  why: string,
  report: Runtime['report'],
): Failure {
  const failure: Failure = { kind: 'overload', message: `overload: ${why}` };
  report({ type: 'shed', reason, questions, failure });
  return failure;
}

/** The failure of a question whose request would exceed `batch.maxBytes` even if it were sent alone. */
export function oversized(question: Question, settings: BatchSettings): Failure | undefined {
  const { maxBytes, sizes } = settings;
  const bytes = sizes.empty + sizes.of(question);
  if (bytes <= maxBytes) return undefined;
  return {
    kind: 'context',
    message:
      `the evaluation context is too large: its request to Flipt would take ${bytes} bytes, ` +
      `and at most ${maxBytes} are allowed (batch.maxBytes). The largest part is ${largestPart(question)}`,
  };
}

function largestPart({ flag, entity, attributes }: Question): string {
  const parts = [
    ...Object.entries(attributes).map(([name, text]) => [`the attribute ${quoted(name)}`, name + text]),
    ['the targetingKey', entity],
    ['the flag key', flag],
  ].map(([name = '', text = '']) => ({ name, bytes: Buffer.byteLength(text) }));
  // Of several of the same size, the first.
  return parts.reduce((largest, part) => (part.bytes > largest.bytes ? part : largest)).name;
}
