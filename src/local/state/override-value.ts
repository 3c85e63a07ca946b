import { isDeepStrictEqual } from 'node:util';
import type { Variant } from '../../engine/features.js';
import { beginningOf, firstOf, kindOf, quoted } from '../../base/text/describe.js';
import { answerOf, VALUE_TYPES, type Translate } from '../../model/value-of-type.js';
import type { FlagRecord, VariantFlagRecord } from '../../features/records.js';

/** A value that an override may set. */
export type OverrideValue = boolean | string | number | object;

/** Whether a flag can resolve to this value. */
export function canGive(flag: FlagRecord, value: OverrideValue): boolean {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return typeof value === 'boolean';
  return chosenVariant(flag.variants, value) !== undefined;
}

/**
 * The variant from which a provider reads the value: one of the flag's variants, or a new one, which has no id yet.
 * Returns `undefined` if the flag cannot give the value. A string must be the key of an existing variant, because any
 * other string is probably misspelt. Any boolean, number or object is possible if one of the variants has a value of
 * that type.
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

/** The value that a provider reads from a variant if the app asks for this type. */
function readAs(variant: Variant, type: string): unknown {
  const read = READ.get(type)?.(answerOf(variant));
  return read && 'value' in read ? read.value : undefined;
}

/**
 * Generates keys that are not taken, each only once. To search from the start for each key would take quadratic time.
 */
export function* freeKeys(taken: Pick<ReadonlySet<string>, 'has'>): Generator<string, never> {
  for (let number = 1; ; number++) {
    const key = number === 1 ? 'override' : `override-${number}`;
    if (!taken.has(key)) yield key;
  }
}

/** A message that says which values a flag can give, and which one it was given. */
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
