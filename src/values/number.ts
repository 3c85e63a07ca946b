import { scalarAttachment } from './attachment.js';
import { mismatch, type Translate } from './value-of-type.js';

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
