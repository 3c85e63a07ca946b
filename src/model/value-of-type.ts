import type { JsonValue } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from './answer.js';
import { isShallow, kindOf, quoted, unlessItThrows } from '../base/text/describe.js';

export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

type Read = Pick<BooleanAnswer, 'kind' | 'enabled'> | ReadVariant;
export type ReadVariant = Pick<VariantAnswer, 'kind' | 'variant' | 'attachment'>;
type Attached = Pick<VariantAnswer, 'attachment'>;

export type Translate<T> = (answer: Read) => Translated<T>;

/** Not `10px`, `0x10`, or a date. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A longer attachment is not parsed: that would block the event loop. */
const MOST_CHARACTERS = 1024 * 1024;
const TOO_LARGE = `larger than ${MOST_CHARACTERS} characters`;
/** Error messages do not name the type of a longer attachment, which would be parsed for each message. */
const LONGEST_NAMED = 10_000;
/** `JSON.parse` reads what is deeper, but `JSON.stringify` in an app or a logger would exceed the stack. */
const DEEPEST = 1_000;
/** v1 sends an empty text for a variant without an attachment, v2 `null`. */
const NO_ATTACHMENT = /^(?:[\t\n\r ]*null[\t\n\r ]*)?$/;
/** Only such a text can be a JSON boolean or number. */
const SCALAR = /^[\t\n\r ]*[-\dtf]/;
/** `__proto__`, or a JSON escape such as `\u005f` that can spell a character of it. */
const MAY_NAME_PROTO = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

export const toBoolean: Translate<boolean> = (answer) => {
  if (answer.kind === 'boolean') return { value: answer.enabled, variant: answer.enabled ? 'true' : 'false' };
  const { variant } = answer;
  if (variant === 'true' || variant === 'false') return { value: variant === 'true', variant };
  const attached = scalarAttachment(answer);
  return typeof attached === 'boolean' ? { value: attached, variant } : mismatch('a boolean', answer);
};

export const toText: Translate<string> = (answer) =>
  answer.kind === 'variant'
    ? { value: answer.variant, variant: answer.variant }
    : mismatch('a string', answer);

export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const keyed = JSON_NUMBER.test(variant) ? finite(Number(variant)) : undefined;
  const value = keyed ?? finite(scalarAttachment(answer));
  return value === undefined ? mismatch('a number', answer) : { value, variant };
};

export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    // The words of `JSON.parse` would quote the attachment.
    return unusable(answer, error instanceof UnusableAttachment ? error.message : 'not JSON');
  }
};

export const VALUE_TYPES = [
  ['boolean', toBoolean],
  ['string', toText],
  ['number', toNumber],
  ['object', toObject],
] as const;

/** For a caller that does not say which type it expects. */
export function valueOfAnyType(answer: ReadVariant): unknown {
  const attached = attachmentOf(answer);
  if (typeof attached === 'object' && attached !== null) return attached;
  const translated = finite(attached) === undefined ? toText(answer) : toNumber(answer);
  return 'value' in translated ? translated.value : undefined;
}

export function answerOf({ key, attachment }: Attached & { readonly key: string }): ReadVariant {
  return { kind: 'variant', variant: key, attachment };
}

export function hasAttachment({ attachment }: Attached): boolean {
  return !NO_ATTACHMENT.test(attachment);
}

/** `undefined` also for an attachment that cannot be used. */
export function attachmentOf({ attachment }: Attached): unknown {
  return unlessItThrows(() => parseAttachment(attachment));
}

function scalarAttachment(answer: Attached): unknown {
  return SCALAR.test(answer.attachment) ? attachmentOf(answer) : undefined;
}

/** JavaScript reads a JSON number such as 1e400 as infinite. */
function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function mismatch(wanted: string, answer: Read): Translated<never> {
  if (answer.kind === 'variant' && answer.attachment.length > MOST_CHARACTERS)
    return unusable(answer, TOO_LARGE);
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

function unusable({ variant, attachment }: ReadVariant, why: string): Translated<never> {
  const message = `the attachment of variant ${quoted(variant)} is ${why} (${attachment.length} characters)`;
  return { problem: 'PARSE_ERROR', message };
}

/** Messages become labels of metrics, and an attachment can hold personal data: only its type and length are shown. */
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

class UnusableAttachment extends Error {}

/** Parsed for each call, because a caller may change its value, and a copy would take as long. */
function parseAttachment(text: string): unknown {
  if (text === '') return undefined;
  if (text.length > MOST_CHARACTERS) throw new UnusableAttachment(TOO_LARGE);
  const value: unknown = JSON.parse(text);
  // A level of nesting takes two brackets.
  if (text.length > 2 * DEEPEST && !isShallow(value, DEEPEST))
    throw new UnusableAttachment('nested too deep to be written again');
  if (MAY_NAME_PROTO.test(text)) dropProto(value);
  return value;
}

/** An app that merges such a member would change a prototype. */
function dropProto(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) dropProto(member);
}
