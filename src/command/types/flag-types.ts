import { isDeepStrictEqual } from 'node:util';
import type { Features, Flag } from '../../engine/features.js';
import { isRecord, quoted } from '../../base/text/describe.js';
import { answerOf, toObject, VALUE_TYPES, type ReadVariant } from '../../model/value-of-type.js';

export type ValueType = (typeof VALUE_TYPES)[number][0];

/** The facts about a flag that the generated TypeScript types express. */
export interface FlagTypes {
  readonly key: string;
  readonly kind: 'boolean' | 'variant' | 'unreadable';
  /** The types, such as `string`, as which the app can read each value of the flag. */
  readonly types: readonly ValueType[];
  /** The sorted keys of the flag's variants, or `undefined` if the flag is boolean, or can have other variants, too. */
  readonly variants?: readonly string[];
  /**
   * The TypeScript type that fits the attachments of all variants, or `undefined` if there is no such type, for example
   * because an attachment is missing, or is not an object or a list.
   */
  readonly attachment?: string;
}

/**
 * Returns the types of all flags, in the order of the flags' keys. `areAllVariants` is true if the features contain all
 * variants that exist.
 */
export function flagTypes({ flags, unreadable }: Features, areAllVariants: boolean): readonly FlagTypes[] {
  const readable = Array.from(flags.values(), (flag) => typesOf(flag, areAllVariants));
  const others = Array.from(unreadable?.keys() ?? [], unreadableTypes);
  return [...readable, ...others].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/**
 * Returns the types of a flag that only Flipt can evaluate. The command does not know the values of a flag that it
 * cannot read, so the generated types let the app read this flag as any type.
 */
function unreadableTypes(key: string): FlagTypes {
  return { key, kind: 'unreadable', types: VALUE_TYPES.map(([type]) => type), attachment: 'JsonValue' };
}

function typesOf(flag: Flag, areAllVariants: boolean): FlagTypes {
  const { key } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return { key, kind: 'boolean', types: ['boolean'] };
  const answers = Array.from(flag.variants.values(), answerOf);
  const types = VALUE_TYPES.flatMap(([type, translate]) => {
    // A flag without variants has no value of any type, but `every` returns true for an empty list.
    const isEach = answers.length > 0 && answers.every((answer) => 'value' in translate(answer));
    return type === 'string' || isEach ? type : [];
  });
  const attachment = types.includes('object') ? commonType(answers.map(attached)) : undefined;
  const variants = [...new Set(answers.map(({ variant }) => variant))].sort();
  return {
    key,
    kind: 'variant',
    types,
    ...(areAllVariants && { variants }),
    ...(attachment && { attachment }),
  };
}

function attached(answer: ReadVariant): unknown {
  const translated = toObject(answer);
  return 'value' in translated ? translated.value : null;
}

/**
 * A generated type describes at most this many nested levels. A deeper type would not help its reader, and would slow
 * down the compiler.
 */
const DEEPEST = 8;
const MOST_MEMBERS = 100;

/**
 * Returns the TypeScript type that fits all these JSON values. The type can contain `JsonValue` and `JsonObject` of
 * OpenFeature.
 */
function commonType(values: readonly unknown[], depth = 0): string {
  if (values.every((value) => Array.isArray(value))) {
    const items: readonly unknown[] = values.flat();
    return `${items.length === 0 || depth === DEEPEST ? 'JsonValue' : commonType(items, depth + 1)}[]`;
  }
  if (values.every(isRecord)) return objectType(values, depth);
  const [type = 'JsonValue', ...others] = new Set(values.map(scalarType));
  return others.length === 0 ? type : 'JsonValue';
}

/**
 * Returns the TypeScript type that fits all these objects. The type lists members only if all objects have the same
 * members.
 */
function objectType(objects: readonly Readonly<Record<string, unknown>>[], depth: number): string {
  const names = Object.keys(objects[0] ?? {}).sort();
  const areSame = objects.every((object) => isDeepStrictEqual(Object.keys(object).sort(), names));
  if (!areSame || names.length === 0 || names.length > MOST_MEMBERS || depth === DEEPEST) return 'JsonObject';
  const members = names.map((name) => {
    const values = objects.map((object) => object[name]);
    return `${quoted(name)}: ${commonType(values, depth + 1)}`;
  });
  return `{ ${members.join('; ')} }`;
}

function scalarType(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'JsonValue' : typeof value;
}
