import type { Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../base/text/describe.js';
import type { BatchSettings } from './batch-queue.js';

/**
 * Returns a failure if the question would exceed `batch.maxBytes` even in a request of its own, and otherwise
 * `undefined`.
 */
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
  // If several parts have the largest size, the message names the first of these parts.
  return parts.reduce((largest, part) => (part.bytes > largest.bytes ? part : largest)).name;
}
