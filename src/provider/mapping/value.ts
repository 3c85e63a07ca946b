import type { BooleanAnswer, VariantAnswer } from '../../model/answer.js';
import { isShallow, kindOf } from '../../text/describe.js';
import { quoted } from '../../text/quote.js';

/** A translated answer: a value with its variant, or why there is none. */
export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

export type Translate<T> = (answer: VariantAnswer | BooleanAnswer) => Translated<T>;

export function mismatch(wanted: string, answer: VariantAnswer | BooleanAnswer): Translated<never> {
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

function given(answer: VariantAnswer | BooleanAnswer): string {
  if (answer.kind === 'boolean') return 'it is a boolean flag';
  const variant = `its variant is ${quoted(answer.variant)}`;
  return answer.attachment === '' || answer.attachment === 'null'
    ? `${variant}, without an attachment`
    : `${variant}, with ${attachmentWords(answer)}`;
}

/** Shows only kind and length: error messages become labels of metrics, and an attachment may hold personal data. */
function attachmentWords(answer: VariantAnswer): string {
  const attached = attachmentOf(answer);
  const kind = attached === undefined ? 'malformed JSON' : kindOf(attached);
  return `an attachment of ${answer.attachment.length} characters (${kind})`;
}

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
