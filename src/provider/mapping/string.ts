import { mismatch, type Translate } from './value.js';

/** Variant flag: the variant's key. */
export const toText: Translate<string> = (answer) =>
  answer.kind === 'variant'
    ? { value: answer.variant, variant: answer.variant }
    : mismatch('a string', answer);
