import { isObject } from '../base/text/describe.js';

/**
 * Returns the member `name` of a mapping. Returns `undefined` if the member is missing, or if `value` is not a mapping.
 */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Returns the list in the member `name` of a mapping, or an empty list if the member is not a list. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** Returns the text in the member `name` of a mapping, or `undefined` if the member is not a text. */
export function textOf(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : undefined;
}
