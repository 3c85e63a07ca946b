import type { VariantAnswer } from '../model/answer.js';
import { isShallow } from '../text/describe.js';

type Attached = Pick<VariantAnswer, 'attachment'>;

/** Whether the variant has an attachment. Flipt v2 writes `null` if it has none. */
export function hasAttachment({ attachment }: Attached): boolean {
  return attachment !== '' && attachment !== 'null';
}

/** The attachment as JSON; `undefined` if there is none or it cannot be used. */
export function attachmentOf({ attachment }: Attached): unknown {
  try {
    return parseAttachment(attachment);
  } catch {
    return undefined;
  }
}

/** Only a text that begins like this can be a JSON boolean or number. */
const SCALAR = /^[\t\n\r ]*[-\dtf]/;

/** An attachment that is a JSON boolean or number. A list or an object is not even parsed: it may be large. */
export function scalarAttachment(answer: Attached): unknown {
  return SCALAR.test(answer.attachment) ? attachmentOf(answer) : undefined;
}

/** Characters of an attachment. Parsing a larger one would block the event loop. */
export const MOST_CHARACTERS = 1024 * 1024;
export const TOO_LARGE = `larger than ${MOST_CHARACTERS} characters`;

/**
 * Levels of lists and objects in an attachment. A deeper one can be read, but `JSON.stringify` of an app or a logger
 * would exceed the stack.
 */
const DEEPEST = 1_000;

/** An attachment that may be JSON, but is not used. The message says why. */
export class UnusableAttachment extends Error {}

/**
 * Parses the attachment on each call, so that a caller may change the result: a copy of a parsed one would cost as much.
 * Drops members called `__proto__`, because merging such an object would change a prototype. Throws a SyntaxError for
 * malformed JSON, and {@link UnusableAttachment}.
 */
export function parseAttachment(text: string): unknown {
  if (text === '') return undefined;
  if (text.length > MOST_CHARACTERS) throw new UnusableAttachment(TOO_LARGE);
  const value: unknown = JSON.parse(text);
  // Each level has two brackets, so that a short text needs no look.
  if (text.length > 2 * DEEPEST && !isShallow(value, DEEPEST))
    throw new UnusableAttachment('nested too deep to be written again');
  if (MAY_NAME_PROTO.test(text)) dropProto(value);
  return value;
}

/** `__proto__`, or an escape that spells one of its letters. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) dropProto(member);
}
