import type { Failure } from '../model/failure.js';
import type { Question } from '../model/answer.js';
import { quoted } from '../text/describe.js';

/** The failure of a question whose request would exceed `batch.maxBytes` even if it were sent alone. */
export function oversized(question: Question, bytes: number, maxBytes: number): Failure {
  return {
    kind: 'context',
    message:
      `the evaluation context is too large: its request to Flipt would take ${bytes} bytes, ` +
      `and at most ${maxBytes} are allowed (batch.maxBytes). The largest part is ${largestPart(question)}`,
  };
}

function largestPart({ flag, entity, attributes }: Question): string {
  const parts = [
    ...Object.entries(attributes).map(
      ([name, text]) => [`the attribute ${quoted(name)}`, name + text] as const,
    ),
    ['the targetingKey', entity] as const,
    ['the flag key', flag] as const,
  ];
  const [largest] = parts
    .map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }))
    .toSorted((one, another) => another.bytes - one.bytes);
  return largest?.name ?? 'unknown';
}
