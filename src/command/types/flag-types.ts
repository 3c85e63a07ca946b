import { isDeepStrictEqual } from 'node:util';
import type { Features, Flag } from '../../engine/features.js';
import { isRecord, quoted } from '../../base/text/describe.js';
import { answerOf, toObject, VALUE_TYPES, type ReadVariant } from '../../model/value-of-type.js';

export type ValueType = (typeof VALUE_TYPES)[number][0];

/** What the generated types say about a flag. */
export interface FlagTypes {
  readonly key: string;
  readonly kind: 'boolean' | 'variant' | 'unreadable';
  /** The types as which every value of the flag can be read. */
  readonly types: readonly ValueType[];
  /** The sorted keys of the flag's variants; `undefined` if there may be other variants. */
  readonly variants?: readonly string[];
  /** The type that all attachments of the flag share; `undefined` if one of them is not an object or a list. */
  readonly attachment?: string;
}

/**
 * The types of all flags, in the order of their keys. `areAllVariants` says whether the features contain all variants
 * that exist.
 */
export function flagTypes({ flags, unreadable }: Features, areAllVariants: boolean): readonly FlagTypes[] {
  const readable = Array.from(flags.values(), (flag) => typesOf(flag, areAllVariants));
  const others = Array.from(unreadable?.keys() ?? [], unreadableTypes);
  return [...readable, ...others].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Only Flipt can evaluate such a flag, so the app may ask for a value of any type. */
function unreadableTypes(key: string): FlagTypes {
  return { key, kind: 'unreadable', types: VALUE_TYPES.map(([type]) => type), attachment: 'JsonValue' };
}

function typesOf(flag: Flag, areAllVariants: boolean): FlagTypes {
  const { key } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return { key, kind: 'boolean', types: ['boolean'] };
  const answers = Array.from(flag.variants.values(), answerOf);
  const types = VALUE_TYPES.flatMap(([type, translate]) => {
    // A flag without variants has no value, but `every` would be true for it.
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

/** Types end at this depth. A deeper type would not help its reader, and would slow down the compiler. */
const DEEPEST = 8;
const MOST_MEMBERS = 100;

/** The TypeScript type that fits all these JSON values, with OpenFeature's types for JSON. */
function commonType(values: readonly unknown[], depth = 0): string {
  if (values.every((value) => Array.isArray(value))) {
    const items: readonly unknown[] = values.flat();
    return `${items.length === 0 || depth === DEEPEST ? 'JsonValue' : commonType(items, depth + 1)}[]`;
  }
  if (values.every(isRecord)) return objectType(values, depth);
  const [type = 'JsonValue', ...others] = new Set(values.map(scalarType));
  return others.length === 0 ? type : 'JsonValue';
}

/** The type of objects, which lists the members only if all objects have the same ones. */
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
