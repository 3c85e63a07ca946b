import type { JsonValue } from '@openfeature/server-sdk';
import type { BooleanAnswer, VariantAnswer } from '../model/answer.js';
import { kindOf, quoted } from '../text/describe.js';
import {
  attachmentOf,
  hasAttachment,
  MOST_CHARACTERS,
  parseAttachment,
  scalarAttachment,
  TOO_LARGE,
  UnusableAttachment,
} from './attachment.js';

/** A translated answer: a value with its variant, or why there is none. */
export type Translated<T> =
  | { readonly value: T; readonly variant: string }
  | { readonly problem: 'TYPE_MISMATCH' | 'PARSE_ERROR'; readonly message: string };

/** What values are read from. */
type Read = Pick<BooleanAnswer, 'kind' | 'enabled'> | Pick<VariantAnswer, 'kind' | 'variant' | 'attachment'>;

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

function unusable(
  { variant, attachment }: Extract<Read, { kind: 'variant' }>,
  why: string,
): Translated<never> {
  const message = `the attachment of variant ${quoted(variant)} is ${why} (${attachment.length} characters)`;
  return { problem: 'PARSE_ERROR', message };
}

export function mismatch(wanted: string, answer: Read): Translated<never> {
  // What a larger one holds is not known.
  if (answer.kind === 'variant' && answer.attachment.length > MOST_CHARACTERS)
    return unusable(answer, TOO_LARGE);
  return { problem: 'TYPE_MISMATCH', message: `expected ${wanted}, but ${given(answer)}` };
}

function given(answer: Read): string {
  if (answer.kind === 'boolean') return 'it is a boolean flag';
  const variant = `its variant is ${quoted(answer.variant)}`;
  return hasAttachment(answer)
    ? `${variant}, with ${attachmentWords(answer)}`
    : `${variant}, without an attachment`;
}

/** A longer attachment is not parsed for a message, which may be made for each resolve. */
const LONGEST_NAMED = 10_000;

/** Shows only kind and length: error messages become labels of metrics, and an attachment may hold personal data. */
function attachmentWords(answer: Pick<VariantAnswer, 'attachment'>): string {
  const { length } = answer.attachment;
  if (length > LONGEST_NAMED) return `an attachment of ${length} characters`;
  const attached = attachmentOf(answer);
  const kind = attached === undefined ? 'malformed JSON' : kindOf(attached);
  return `an attachment of ${length} characters (${kind})`;
}

/** A number in JSON's syntax: not `10px`, not `0x10`, and no date that begins with digits. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Variant flag: the key if it is a JSON number, else an attachment that is one; finite in both cases. */
export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const value = keyedNumber(variant) ?? finite(scalarAttachment(answer));
  return value === undefined ? mismatch('a number', answer) : { value, variant };
};

/** The number that a variant's key spells. */
export function keyedNumber(variant: string): number | undefined {
  return JSON_NUMBER.test(variant) ? finite(Number(variant)) : undefined;
}

/** JSON can spell numbers that are infinite here, such as 1e400. */
export function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
