import type { JsonValue } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from './answer.js';
import { isShallow, kindOf, quoted, unlessItThrows } from '../base/text/describe.js';
import { JSON_NUMBER } from '../base/text/json.js';

/** A translated answer: a value with its variant, or the reason why there is no value. */
export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

/** The members of an answer that values are read from. */
type Read = Pick<BooleanAnswer, 'kind' | 'enabled'> | ReadVariant;
export type ReadVariant = Pick<VariantAnswer, 'kind' | 'variant' | 'attachment'>;

export type Translate<T> = (answer: Read) => Translated<T>;

/**
 * Gives a boolean. For a boolean flag, the boolean is the flag's value. For a variant flag, the boolean is the
 * variant's key if the key is `true` or `false`, or else the attachment if that is a JSON boolean.
 */
export const toBoolean: Translate<boolean> = (answer) => {
  if (answer.kind === 'boolean') return { value: answer.enabled, variant: answer.enabled ? 'true' : 'false' };
  const { variant } = answer;
  if (variant === 'true' || variant === 'false') return { value: variant === 'true', variant };
  const attached = scalarAttachment(answer);
  return typeof attached === 'boolean' ? { value: attached, variant } : mismatch('a boolean', answer);
};

/** Gives a string, which is the variant's key. A boolean flag gives no string. */
export const toText: Translate<string> = (answer) =>
  answer.kind === 'variant'
    ? { value: answer.variant, variant: answer.variant }
    : mismatch('a string', answer);

/**
 * Gives an object, which is the variant's attachment if that is a JSON object or array. Each call returns a new copy. A
 * boolean flag gives no object.
 */
export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    // The message leaves out the parser's own message, which quotes the attachment.
    return unusable(answer, error instanceof UnusableAttachment ? error.message : 'not JSON');
  }
};

function unusable({ variant, attachment }: ReadVariant, why: string): Translated<never> {
  const message = `the attachment of variant ${quoted(variant)} is ${why} (${attachment.length} characters)`;
  return { problem: 'PARSE_ERROR', message };
}

function mismatch(wanted: string, answer: Read): Translated<never> {
  // An attachment that is this long is not parsed, so the type of its value is not known.
  if (answer.kind === 'variant' && answer.attachment.length > MOST_CHARACTERS)
    return unusable(answer, TOO_LARGE);
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

/**
 * An attachment of more characters is not parsed only for a message, because the message can be made for each resolve.
 */
const LONGEST_NAMED = 10_000;

/**
 * Describes an answer of the wrong type. The text shows only the kind and the length of an attachment, because error
 * messages become labels of metrics, and an attachment can hold personal data.
 */
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

/**
 * Gives a number, which is the variant's key if the key is a JSON number, or else the attachment if that is a JSON
 * number. The number must be finite. A boolean flag gives no number.
 */
export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const value = keyedNumber(variant) ?? finite(scalarAttachment(answer));
  return value === undefined ? mismatch('a number', answer) : { value, variant };
};

/** Returns the number that a variant's key spells. */
function keyedNumber(variant: string): number | undefined {
  return JSON_NUMBER.test(variant) ? finite(Number(variant)) : undefined;
}

/**
 * Returns what a variant gives if the caller asks for no type. If the attachment is an object, a list or a number, the
 * variant gives what it gives to a caller that asks for that type. A variant with any other attachment gives its key.
 */
export function valueOfAnyType(answer: ReadVariant): unknown {
  const attached = attachmentOf(answer);
  if (typeof attached === 'object' && attached !== null) return attached;
  const translated = finite(attached) === undefined ? toText(answer) : toNumber(answer);
  return 'value' in translated ? translated.value : undefined;
}

/** Makes the answer that the values of a variant are read from. */
export function answerOf({ key, attachment }: Attached & { readonly key: string }): ReadVariant {
  return { kind: 'variant', variant: key, attachment };
}

/** OpenFeature's four types of values, each with the function that reads it from an answer. */
export const VALUE_TYPES = [
  ['boolean', toBoolean],
  ['string', toText],
  ['number', toNumber],
  ['object', toObject],
] as const;

/** Returns a number only if it is finite. JSON can spell numbers that are infinite here, such as 1e400. */
function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

type Attached = Pick<VariantAnswer, 'attachment'>;

/** This pattern matches the text of a missing attachment. Flipt v2 writes `null` for it. */
const NO_ATTACHMENT = /^(?:[\t\n\r ]*null[\t\n\r ]*)?$/;

export function hasAttachment({ attachment }: Attached): boolean {
  return !NO_ATTACHMENT.test(attachment);
}

/** Returns the attachment as JSON, or `undefined` if there is none, or if it cannot be used. */
export function attachmentOf({ attachment }: Attached): unknown {
  return unlessItThrows(() => parseAttachment(attachment));
}

/** Only a text that begins like this can be a JSON boolean or number. */
const SCALAR = /^[\t\n\r ]*[-\dtf]/;

/**
 * Returns an attachment that is a JSON boolean or number. A list or an object is not even parsed, because it might be
 * large.
 */
function scalarAttachment(answer: Attached): unknown {
  return SCALAR.test(answer.attachment) ? attachmentOf(answer) : undefined;
}

/** An attachment of more characters is not parsed, because that would block the event loop. */
const MOST_CHARACTERS = 1024 * 1024;
const TOO_LARGE = `larger than ${MOST_CHARACTERS} characters`;

/**
 * Lists and objects in an attachment can be nested at most this deep. A deeper attachment could be parsed, but
 * `JSON.stringify` in an app or a logger would exceed the stack.
 */
const DEEPEST = 1_000;

/** The error of an attachment that might be JSON but is not used. The message says why. */
class UnusableAttachment extends Error {}

/**
 * Parses an attachment. The function parses the text at each call, so that a caller can change the result; copying a
 * parsed attachment would cost as much. Members called `__proto__` are dropped, because merging an object with such a
 * member would change a prototype. Throws a SyntaxError for malformed JSON, and an {@link UnusableAttachment} for JSON
 * that is too large or too deep.
 */
function parseAttachment(text: string): unknown {
  if (text === '') return undefined;
  if (text.length > MOST_CHARACTERS) throw new UnusableAttachment(TOO_LARGE);
  const value: unknown = JSON.parse(text);
  // Each level takes two brackets, so that a text without room for that many brackets cannot be too deep.
  if (text.length > 2 * DEEPEST && !isShallow(value, DEEPEST))
    throw new UnusableAttachment('nested too deep to be written again');
  if (MAY_NAME_PROTO.test(text)) dropProto(value);
  return value;
}

/** This pattern matches `__proto__`, or an escape that spells one of its letters. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) dropProto(member);
}
