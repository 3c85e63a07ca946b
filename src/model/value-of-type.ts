import type { JsonValue } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from './answer.js';
import { isShallow, kindOf, quoted, unlessItThrows } from '../base/text/describe.js';
import { JSON_NUMBER } from '../base/text/json.js';

/**
 * The result of reading a value of some type from an answer: the value with its variant, or the reason why the answer
 * gives no value of that type.
 */
export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

/** Those members of an answer from which a value is read. */
type Read = Pick<BooleanAnswer, 'kind' | 'enabled'> | ReadVariant;
export type ReadVariant = Pick<VariantAnswer, 'kind' | 'variant' | 'attachment'>;

export type Translate<T> = (answer: Read) => Translated<T>;

/**
 * Reads a boolean from an answer. A boolean flag gives its value. A variant whose key is `true` or `false` gives that
 * boolean. A variant with any other key gives its attachment, if the attachment is a JSON boolean.
 */
export const toBoolean: Translate<boolean> = (answer) => {
  if (answer.kind === 'boolean') return { value: answer.enabled, variant: answer.enabled ? 'true' : 'false' };
  const { variant } = answer;
  if (variant === 'true' || variant === 'false') return { value: variant === 'true', variant };
  const attached = scalarAttachment(answer);
  return typeof attached === 'boolean' ? { value: attached, variant } : mismatch('a boolean', answer);
};

/** Reads a string from an answer: the key of the variant. A boolean flag gives no string. */
export const toText: Translate<string> = (answer) =>
  answer.kind === 'variant'
    ? { value: answer.variant, variant: answer.variant }
    : mismatch('a string', answer);

/**
 * Reads an object from an answer: the variant's attachment, if the attachment is a JSON object or array. Each call
 * returns a new object. A boolean flag gives no object.
 */
export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    // The error message leaves out the message of `JSON.parse`, because `JSON.parse` quotes the attachment.
    return unusable(answer, error instanceof UnusableAttachment ? error.message : 'not JSON');
  }
};

function unusable({ variant, attachment }: ReadVariant, why: string): Translated<never> {
  const message = `the attachment of variant ${quoted(variant)} is ${why} (${attachment.length} characters)`;
  return { problem: 'PARSE_ERROR', message };
}

function mismatch(wanted: string, answer: Read): Translated<never> {
  // An attachment of more than `MOST_CHARACTERS` characters is not parsed, so the type of its value is not known.
  if (answer.kind === 'variant' && answer.attachment.length > MOST_CHARACTERS)
    return unusable(answer, TOO_LARGE);
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

/**
 * If an attachment has more characters than this, error messages do not name its type. To find the type of a long
 * attachment, the provider would have to parse the attachment for each error message, which takes too long.
 */
const LONGEST_NAMED = 10_000;

/**
 * Describes an answer that does not have the type that the caller expects. The description shows only the type and the
 * length of an attachment, because error messages become labels of metrics, and an attachment can contain personal
 * data.
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
 * Reads a finite number from an answer. A variant whose key is a JSON number gives that number. A variant with any
 * other key gives its attachment, if the attachment is a JSON number. A boolean flag gives no number.
 */
export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const value = keyedNumber(variant) ?? finite(scalarAttachment(answer));
  return value === undefined ? mismatch('a number', answer) : { value, variant };
};

/** Returns the number that a variant's key spells, or `undefined` if the key is not a finite JSON number. */
function keyedNumber(variant: string): number | undefined {
  return JSON_NUMBER.test(variant) ? finite(Number(variant)) : undefined;
}

/**
 * Returns the value of a variant for a caller that does not say which type it expects. If the attachment is an object
 * or a list, the value is the attachment. If the attachment is a number, the value is the number that `toNumber`
 * returns. If the attachment has any other type, or if the variant has no attachment, the value is the variant's key.
 */
export function valueOfAnyType(answer: ReadVariant): unknown {
  const attached = attachmentOf(answer);
  if (typeof attached === 'object' && attached !== null) return attached;
  const translated = finite(attached) === undefined ? toText(answer) : toNumber(answer);
  return 'value' in translated ? translated.value : undefined;
}

/** Makes an answer from a variant's key and attachment, so that the functions of this file can read values from it. */
export function answerOf({ key, attachment }: Attached & { readonly key: string }): ReadVariant {
  return { kind: 'variant', variant: key, attachment };
}

/** OpenFeature's four types of values, each with the function that reads a value of this type from an answer. */
export const VALUE_TYPES = [
  ['boolean', toBoolean],
  ['string', toText],
  ['number', toNumber],
  ['object', toObject],
] as const;

/**
 * Returns the value if it is a finite number, and `undefined` otherwise. JavaScript reads a JSON number such as 1e400
 * as infinite.
 */
function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

type Attached = Pick<VariantAnswer, 'attachment'>;

/**
 * Matches the text that Flipt sends for a variant without an attachment: `''` from Flipt v1, and `null` from Flipt v2.
 */
const NO_ATTACHMENT = /^(?:[\t\n\r ]*null[\t\n\r ]*)?$/;

export function hasAttachment({ attachment }: Attached): boolean {
  return !NO_ATTACHMENT.test(attachment);
}

/** Returns the parsed attachment, or `undefined` if the variant has no attachment, or one that cannot be used. */
export function attachmentOf({ attachment }: Attached): unknown {
  return unlessItThrows(() => parseAttachment(attachment));
}

/** Only a text that begins like this can be a JSON boolean or number. */
const SCALAR = /^[\t\n\r ]*[-\dtf]/;

/**
 * Returns the parsed attachment if the attachment can be a JSON boolean or number. An attachment that is a list or an
 * object is not even parsed, because parsing a large one takes time.
 */
function scalarAttachment(answer: Attached): unknown {
  return SCALAR.test(answer.attachment) ? attachmentOf(answer) : undefined;
}

/**
 * If an attachment has more characters than this, the provider does not parse it, because parsing it would block the
 * event loop.
 */
const MOST_CHARACTERS = 1024 * 1024;
const TOO_LARGE = `larger than ${MOST_CHARACTERS} characters`;

/**
 * Lists and objects in an attachment can be nested at most this deep. `JSON.parse` can read an attachment that is
 * nested deeper, but `JSON.stringify` in an app or a logger would then exceed the stack.
 */
const DEEPEST = 1_000;

/** The error for an attachment that is too large, or is nested too deep. */
class UnusableAttachment extends Error {}

/**
 * Parses an attachment. The function parses the text again at each call, so that each caller can change its result.
 * Copying an attachment that was parsed before would take as long as parsing the text again. The function drops members
 * called `__proto__`, because merging an object with a member called `__proto__` would change a prototype. Throws a
 * SyntaxError for malformed JSON, and an {@link UnusableAttachment} for JSON that is too large or too deep.
 */
function parseAttachment(text: string): unknown {
  if (text === '') return undefined;
  if (text.length > MOST_CHARACTERS) throw new UnusableAttachment(TOO_LARGE);
  const value: unknown = JSON.parse(text);
  // Each level of nesting takes two brackets, so a text with at most two characters for each allowed level cannot be
  // nested too deep.
  if (text.length > 2 * DEEPEST && !isShallow(value, DEEPEST))
    throw new UnusableAttachment('nested too deep to be written again');
  if (MAY_NAME_PROTO.test(text)) dropProto(value);
  return value;
}

/** Matches `__proto__`, or a JSON escape such as `\u005f` that can spell a character of `__proto__`. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) dropProto(member);
}
