import { types } from 'node:util';
import type { Subject } from '../model.js';

/** A context that cannot be put to the service. `provider.ts` makes INVALID_CONTEXT of it. */
export class InvalidContext extends Error {}

/** Which context attributes are sent. */
export type Selection =
  { readonly only: readonly string[] } | { readonly except: readonly string[] } | undefined;

/**
 * Makes the function that reads a context: one pass, attributes in the order of their names,
 * so that neither their order in the context nor how it was put together makes a difference.
 */
export function contextReader(selection?: Selection): (context: object) => Subject {
  const sent = selector(selection);
  return (context) => {
    const values = context as Readonly<Record<string, unknown>>;
    const names: string[] = [];
    const texts: string[] = [];
    for (const name of Object.keys(values)) {
      if (name === 'targetingKey' || !sent(name)) continue;
      const value = values[name];
      const text = typeof value === 'string' ? value : attributeText(name, value);
      if (text !== undefined) insert(names, texts, name, text);
    }
    return { entity: entityOf(values.targetingKey), names, texts };
  };
}

function selector(selection: Selection): (name: string) => boolean {
  if (selection === undefined) return () => true;
  if ('only' in selection) {
    const only = new Set(selection.only);
    return (name) => only.has(name);
  }
  const except = new Set(selection.except);
  return (name) => !except.has(name);
}

/** A context has a handful of attributes, mostly written in the same order: insertion is the cheapest sort. */
function insert(names: string[], texts: string[], name: string, text: string): void {
  let low = names.length;
  const last = names[low - 1];
  if (last !== undefined && last > name) {
    let high = low;
    low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = names[middle];
      if (other !== undefined && other < name) low = middle + 1;
      else high = middle;
    }
    names.splice(low, 0, name);
    texts.splice(low, 0, text);
    return;
  }
  names.push(name);
  texts.push(text);
}

function entityOf(targetingKey: unknown): string {
  if (typeof targetingKey === 'string') return targetingKey;
  if ((targetingKey ?? '') === '') return '';
  try {
    return String(targetingKey);
  } catch (error) {
    throw new InvalidContext(`targetingKey: cannot be written as text (${reasonOf(error)})`);
  }
}

/** The text that the service compares, or `undefined` for what is left out. */
function attributeText(name: string, value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? undefined : objectText(name, value);
    default:
      return undefined;
  }
}

function objectText(name: string, value: object): string | undefined {
  try {
    if (types.isDate(value)) return rfc3339(value);
    // The replacer sees what toJSON has made of a member; the holder still has the member itself.
    const text: string | undefined = JSON.stringify(
      value,
      function (this: Readonly<Record<string, unknown>>, key, written: unknown) {
        const member = this[key];
        if (types.isDate(member)) return rfc3339(member);
        return typeof written === 'bigint' ? written.toString() : written;
      },
    );
    return text;
  } catch (error) {
    throw new InvalidContext(`context attribute ${JSON.stringify(name)}: ${reasonOf(error)}`);
  }
}

function rfc3339(date: Date): string {
  const year = date.getUTCFullYear();
  if (Number.isNaN(year)) throw new InvalidContext('an invalid Date');
  if (year < 0 || year > 9999) throw new InvalidContext('a Date outside the years 0 to 9999');
  return date.toISOString();
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? '';
}
