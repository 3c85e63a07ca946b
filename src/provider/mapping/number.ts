import { attachmentOf, mismatch, type Translate } from './value.js';

/** A number in JSON's syntax: not `10px`, not `0x10`, and no date that begins with digits. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Variant flag: the key if it is a JSON number, else an attachment that is one; finite in both cases. */
export const toNumber: Translate<number> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('a number', answer);
  const { variant } = answer;
  const keyed = JSON_NUMBER.test(variant) ? Number(variant) : NaN;
  if (Number.isFinite(keyed)) return { value: keyed, variant };
  const attached = attachmentOf(answer);
  return typeof attached === 'number' && Number.isFinite(attached)
    ? { value: attached, variant }
    : mismatch('a number', answer);
};
