import { isDeepStrictEqual } from 'node:util';
import { isRecord, quoted } from '../../text/describe.js';

/** A deeper type would not help its reader, and would slow down the compiler. */
const DEEPEST = 8;
const MOST_MEMBERS = 100;

/** What values of JSON have in common, as a TypeScript type with OpenFeature's types for JSON. */
export function commonType(values: readonly unknown[], depth = 0): string {
  if (values.every((value) => Array.isArray(value))) {
    const items: readonly unknown[] = values.flat();
    return `${items.length === 0 || depth === DEEPEST ? 'JsonValue' : commonType(items, depth + 1)}[]`;
  }
  if (values.every(isRecord)) return objectType(values, depth);
  const [type = 'JsonValue', ...others] = new Set(values.map(scalarType));
  return others.length === 0 ? type : 'JsonValue';
}

/** Names the members only if all objects have the same ones. */
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
