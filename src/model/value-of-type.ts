import type { JsonValue } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from './answer.js';
import { isShallow, kindOf, quoted, unlessItThrows } from '../base/text/describe.js';
import { JSON_NUMBER } from '../base/text/json.js';

/** A translated answer: a value with its variant, or why there is none. */
export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

/** What values are read from. */
type Read = Pick<BooleanAnswer, 'kind' | 'enabled'> | ReadVariant;
export type ReadVariant = Pick<VariantAnswer, 'kind' | 'variant' | 'attachment'>;

export type Translate<T> = (answer: Read) => Translated<T>;

/** Boolean flag: its value. Variant flag: the key `true` or `false`, else an attachment that is a JSON boolean. */
export const toBoolean: Translate<boolean> = (answer) => {
  if (answer.kind === 'boolean') return { value: answer.enabled, variant: answer.enabled ? 'true' : 'false' };
  const { variant } = answer;
  if (variant === 'true' || variant === 'false') return { value: variant === 'true', variant };
  const attached = scalarAttachment(answer);
  return typeof attached === 'boolean' ? { value: attached, variant } : mismatch('a boolean', answer);
};

/** Variant flag: the variant's key. */
export const toText: Translate<string> = (answer) =>
  answer.kind === 'variant'
    ? { value: answer.variant, variant: answer.variant }
    : mismatch('a string', answer);

/** Variant flag: an attachment that is a JSON object or array, a fresh copy each time. */
export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    // Without the parser's message, which quotes the attachment.
    return unusable(answer, error instanceof UnusableAttachment ? error.message : 'not JSON');
  }
};

function unusable({ variant, attachment }: ReadVariant, why: string): Translated<never> {
  const message = `the attachment of variant ${quoted(variant)} is ${why} (${attachment.length} characters)`;
  return { problem: 'PARSE_ERROR', message };
}

function mismatch(wanted: string, answer: Read): Translated<never> {
  // What a larger one holds is not known.
  if (answer.kind === 'variant' && answer.attachment.length > MOST_CHARACTERS)
    return unusable(answer, TOO_LARGE);
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

/** A longer attachment is not parsed for a message, which may be made for each resolve. */
const LONGEST_NAMED = 10_000;

/** Shows only kind and length: error messages become labels of metrics, and an attachment may hold personal data. */
function given(answer: Read): string {
  if (answer.kind === 'boolean') return 'it is a boolean flag';
  const variant = `its variant is ${quoted(answer.variant)}`;
  if (!hasAttachment(answer)) return `${variant}, without an attachment`;
  const { length } = answer.attachment;
  const attached = `${variant}, with an attachment of ${length} characters`;
  if (length > LONGEST_NAMED) return attached;
  const value = attachmentOf(answer);
  return `${attached} (${value === undefined ? 'malformed JSON' : kindOf(value)})`;
}

/** Variant flag: the key if it is a JSON number, else an attachment that is one; finite in both cases. */
export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const value = keyedNumber(variant) ?? finite(scalarAttachment(answer));
  return value === undefined ? mismatch('a number', answer) : { value, variant };
};

/** The number that a variant's key spells. */
function keyedNumber(variant: string): number | undefined {
  return JSON_NUMBER.test(variant) ? finite(Number(variant)) : undefined;
}

/**
 * What a variant gives where no type is asked for: an attachment that is an object, a list or a number, as it is given for
 * that type. Any other variant gives its key.
 */
export function valueOfAnyType(answer: ReadVariant): unknown {
  const attached = attachmentOf(answer);
  if (typeof attached === 'object' && attached !== null) return attached;
  const translated = finite(attached) === undefined ? toText(answer) : toNumber(answer);
  return 'value' in translated ? translated.value : undefined;
}

/** What the values of a variant are read from. */
export function answerOf({ key, attachment }: Attached & { readonly key: string }): ReadVariant {
  return { kind: 'variant', variant: key, attachment };
}

/** OpenFeature's four types of a value, and how an answer gives a value of each. */
export const VALUE_TYPES = [
  ['boolean', toBoolean],
  ['string', toText],
  ['number', toNumber],
  ['object', toObject],
] as const;

/** JSON can spell numbers that are infinite here, such as 1e400. */
function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

type Attached = Pick<VariantAnswer, 'attachment'>;

/** How it is written that a variant has none: Flipt v2 writes `null`. */
const NO_ATTACHMENT = /^(?:[\t\n\r ]*null[\t\n\r ]*)?$/;

export function hasAttachment({ attachment }: Attached): boolean {
  return !NO_ATTACHMENT.test(attachment);
}

/** The attachment as JSON; `undefined` if there is no text, or it cannot be used. */
export function attachmentOf({ attachment }: Attached): unknown {
  return unlessItThrows(() => parseAttachment(attachment));
}

/** Only a text that begins like this can be a JSON boolean or number. */
const SCALAR = /^[\t\n\r ]*[-\dtf]/;

/** An attachment that is a JSON boolean or number. A list or an object is not even parsed: it may be large. */
function scalarAttachment(answer: Attached): unknown {
  return SCALAR.test(answer.attachment) ? attachmentOf(answer) : undefined;
}

/** Characters of an attachment. Parsing a larger one would block the event loop. */
const MOST_CHARACTERS = 1024 * 1024;
const TOO_LARGE = `larger than ${MOST_CHARACTERS} characters`;

/**
 * Levels of lists and objects in an attachment. A deeper one can be read, but `JSON.stringify` of an app or a logger
 * would exceed the stack.
 */
const DEEPEST = 1_000;

/** An attachment that may be JSON, but is not used. The message says why. */
class UnusableAttachment extends Error {}

/**
 * Parses the attachment on each call, so that a caller may change the result: a copy of a parsed one would cost as much.
 * Drops members called `__proto__`, because merging such an object would change a prototype. Throws a SyntaxError for
 * malformed JSON, and {@link UnusableAttachment}.
 */
function parseAttachment(text: string): unknown {
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
