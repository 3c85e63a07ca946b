import { isDeepStrictEqual } from 'node:util';
import type { Variant } from '../../engine/features.js';
import { beginningOf, firstOf, kindOf, quoted } from '../../base/text/describe.js';
import { answerOf, VALUE_TYPES, type Translate } from '../../model/value-of-type.js';
import type { FlagRecord, VariantFlagRecord } from '../../features/records.js';

/** A value that a test can set for a flag: a boolean, the key of a variant, a number or an object. */
export type OverrideValue = boolean | string | number | object;

/** Returns whether an override can set this value for the flag. */
export function canGive(flag: FlagRecord, value: OverrideValue): boolean {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return typeof value === 'boolean';
  return chosenVariant(flag.variants, value) !== undefined;
}

/**
 * Returns a variant from which a provider reads this value. The variant is either one of the flag's variants, or a new
 * variant without an id. The function returns `undefined` if the flag cannot give the value. A string must be the key
 * of an existing variant, because any other string is probably misspelt. A boolean, number or object is possible if one
 * of the flag's variants has a value of the same type.
 */
export function chosenVariant(variants: VariantFlagRecord['variants'], value: OverrideValue) {
  const all = [...variants.values()];
  const found = all.find((variant) => isDeepStrictEqual(readAs(variant, typeof value), value));
  if (found !== undefined) return found;
  const isOfThatKind = all.some((variant) => readAs(variant, typeof value) !== undefined);
  if (typeof value === 'string' || !isOfThatKind) return undefined;
  const text = JSON.stringify(value);
  return typeof value === 'object'
    ? { key: freeKeys(new Set(all.map(({ key }) => key))).next().value, attachment: text }
    : { key: text, attachment: '' };
}

const READ: ReadonlyMap<string, Translate<unknown>> = new Map(VALUE_TYPES);

/** Returns the value that a provider reads from a variant if the app asks for a value of this type. */
function readAs(variant: Variant, type: string): unknown {
  const read = READ.get(type)?.(answerOf(variant));
  return read && 'value' in read ? read.value : undefined;
}

/**
 * Yields keys that are not in `taken`, and no key twice. One generator should yield all keys for a namespace, because
 * starting again at the first number for each key would take quadratic time.
 */
export function* freeKeys(taken: Pick<ReadonlySet<string>, 'has'>): Generator<string, never> {
  for (let number = 1; ; number++) {
    const key = number === 1 ? 'override' : `override-${number}`;
    if (!taken.has(key)) yield key;
  }
}

/** Returns an error message that says which values the flag can have, and what somebody has tried to set instead. */
export function cannotGive(flag: FlagRecord, value: unknown): string {
  const isShort = typeof value === 'number' || typeof value === 'boolean';
  const words = isShort ? String(value) : kindOf(value);
  const given = typeof value === 'string' ? quoted(beginningOf(value)) : words;
  return `${quoted(flag.key)} can be ${possible(flag)}; got ${given}`;
}

function possible(flag: FlagRecord): string {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return 'true or false';
  const variants = [...flag.variants.values()];
  if (variants.length === 0) return 'nothing, because it has no variants';
  const named = firstOf(variants.map(({ key }) => key));
  const kinds = ['boolean', 'number', 'object'].filter((type) =>
    variants.some((variant) => readAs(variant, type) !== undefined),
  );
  return [named, ...kinds.map((type) => `any ${type}`)].join(' or ');
}
