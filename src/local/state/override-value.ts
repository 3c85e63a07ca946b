import { isDeepStrictEqual } from 'node:util';
import type { Variant } from '../../engine/features.js';
import { beginningOf, firstOf, kindOf, quoted } from '../../base/text/describe.js';
import { answerOf, VALUE_TYPES, type Translate } from '../../model/value-of-type.js';
import type { FlagRecord, VariantFlagRecord } from '../../features/records.js';

/** A value that an override can give to a flag. */
export type OverrideValue = boolean | string | number | object;

/** Returns whether an override can make the flag resolve to this value. */
export function canGive(flag: FlagRecord, value: OverrideValue): boolean {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return typeof value === 'boolean';
  return chosenVariant(flag.variants, value) !== undefined;
}

/**
 * Returns a variant from which a provider reads the value: either one of the flag's variants, or a new variant, which
 * has no id yet. Returns `undefined` if the flag cannot give the value. A string must be the key of an existing
 * variant, because any other string is probably misspelt. Any boolean, number or object is possible if one of the
 * variants has a value of that type.
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
 * Generates keys that are not in `taken`. No key is generated twice. One generator makes all keys, because searching
 * from the start for each key would take quadratic time.
 */
export function* freeKeys(taken: Pick<ReadonlySet<string>, 'has'>): Generator<string, never> {
  for (let number = 1; ; number++) {
    const key = number === 1 ? 'override' : `override-${number}`;
    if (!taken.has(key)) yield key;
  }
}

/** Returns a message that says which values a flag can have, and which value an override was to give it. */
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
