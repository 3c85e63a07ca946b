import type { VariantAnswer } from '../../model/answer.js';
import { isShallow } from '../../text/describe.js';

/** The attachment as JSON; `undefined` if there is none or it is malformed. */
export function attachmentOf({ attachment }: Pick<VariantAnswer, 'attachment'>): unknown {
  try {
    return parseAttachment(attachment);
  } catch {
    return undefined;
  }
}

/**
 * Levels of lists and objects in an attachment. A deeper one can be read, but `JSON.stringify` of an app or a logger
 * would exceed the stack.
 */
const DEEPEST = 1_000;

/** An attachment that is JSON, but nested deeper than an app could write it. */
export class TooDeep extends Error {}

/**
 * Parses the attachment on each call, so that a caller may change the result. Drops members called `__proto__`, because
 * merging such an object would change a prototype. Throws a SyntaxError for malformed JSON, and {@link TooDeep}.
 */
export function parseAttachment(text: string): unknown {
  if (text === '') return undefined;
  const value = parsed(text);
  // Each level has two brackets, so that a short text needs no look.
  if (text.length > 2 * DEEPEST && !isShallow(value, DEEPEST)) throw new TooDeep();
  return value;
}

function parsed(text: string): unknown {
  // An escape may spell any name. Attachments with `__proto__` or an escape are rare, so the slower way is good enough
  // for them.
  const suspicious = text.includes('__proto__') || text.includes('\\u');
  return suspicious
    ? JSON.parse(text, (name, value: unknown) => (name === '__proto__' ? undefined : value))
    : JSON.parse(text);
}
