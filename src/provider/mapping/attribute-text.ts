import { types } from 'node:util';
import { isObject, messageOf, quoted } from '../../base/text/describe.js';
import type { Failure } from '../../model/failure.js';

/** Returns the failure for an error that was thrown while a context was read. */
export function contextFailure(error: unknown): Failure {
  return error instanceof InvalidContext ? { kind: 'context', message: error.message } : UNREADABLE_CONTEXT;
}

export const UNREADABLE_CONTEXT: Failure = {
  kind: 'context',
  message: 'the evaluation context cannot be read',
};

export const NO_TARGETING_KEY: Failure = {
  kind: 'targeting-key',
  message: "the context has no targetingKey, which the provider requires (targetingKey: 'required')",
};

/**
 * The functions of this folder throw an `InvalidContext` if a context cannot be sent to Flipt, so that the caller of
 * the resolve gets INVALID_CONTEXT.
 */
export class InvalidContext extends Error {}

/**
 * Says which attributes of a context the provider sends to Flipt. If the selection is `undefined`, the provider sends
 * all attributes.
 */
export type Selection =
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] }
  | undefined;

/**
 * Is called with the name of an attribute whose object JSON writes as `{}` or as a text in quotes, such as a `Map`.
 * Hardly any constraint is meant to match `{}` or a text in quotes.
 */
export type OddAttribute = (name: string) => void;

/**
 * Makes a function that reads one attribute of a context, for evaluation in this process. An evaluation reads only the
 * attributes that the flag's constraints compare, so that other attributes cost no time and cannot fail. The made
 * function throws {@link InvalidContext} if the attribute cannot be written as text.
 */
export function attributeReader(
  selection?: Selection,
  odd?: OddAttribute,
): (context: Readonly<Record<string, unknown>>, name: string) => string | undefined {
  const sent = selector(selection);
  return (context, name) =>
    name !== 'targetingKey' && sent(name) && Object.hasOwn(context, name)
      ? attributeText(name, context[name], odd)
      : undefined;
}

/** Makes a function that returns `true` for the name of an attribute that the provider sends to Flipt. */
export function selector(selection: Selection): (name: string) => boolean {
  if (selection === undefined) return () => true;
  const isOnly = 'only' in selection;
  const named = new Set(isOnly ? selection.only : selection.except);
  return (name) => named.has(name) === isOnly;
}

/**
 * Returns the entity id that Flipt gets for this targetingKey. Throws {@link InvalidContext} if the targetingKey cannot
 * be written as text.
 */
export function entityId(targetingKey: unknown): string {
  if (typeof targetingKey === 'string') return targetingKey;
  if ((targetingKey ?? '') === '') return '';
  try {
    return String(targetingKey);
  } catch (error) {
    throw new InvalidContext(`targetingKey: cannot be written as text (${reasonOf(error)})`);
  }
}

/**
 * Returns the text that Flipt compares for an attribute, or `undefined` if the provider does not send a value of this
 * kind, such as `null` or `NaN`. Throws {@link InvalidContext} if the value cannot be written as text.
 */
export function attributeText(
  name: string,
  value: unknown,
  odd: OddAttribute | undefined,
): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return isObject(value) ? objectText(name, value, odd) : undefined;
}

function objectText(name: string, value: object, odd: OddAttribute | undefined): string | undefined {
  try {
    if (types.isDate(value)) return rfc3339(value);
    // JSON.stringify passes the result of `toJSON` as `written`. `this[key]` is the value before `toJSON` was called.
    const text: string | undefined = JSON.stringify(
      value,
      function (this: Readonly<Record<string, unknown>>, key, written: unknown) {
        const member = this[key];
        if (types.isDate(member)) return rfc3339(member);
        return typeof written === 'bigint' ? written.toString() : written;
      },
    );
    if (odd !== undefined && isOdd(text, value)) odd(name);
    return text;
  } catch (error) {
    throw new InvalidContext(`context attribute ${quoted(name)}: ${reasonOf(error)}`);
  }
}

/**
 * Returns `true` if JSON writes the object as `{}` or as a text in quotes, which is probably a mistake of the app. For
 * a plain object without members, `isOdd` returns `false`, although JSON writes such an object as `{}`.
 */
function isOdd(text: string | undefined, value: object): boolean {
  if (text?.startsWith('"')) return true;
  return text === '{}' && !isLiteral(value);
}

/** Returns `true` if the object is a plain object, even one from another realm, such as the realm of a test runner. */
function isLiteral(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype as object, 'isPrototypeOf');
}

function rfc3339(date: Date): string {
  const year = date.getUTCFullYear();
  if (Number.isNaN(year)) throw new InvalidContext('an invalid Date');
  if (year < 0 || year > 9999) throw new InvalidContext('a Date outside the years 0 to 9999');
  return date.toISOString();
}

/** Returns the first line of the error's message. */
function reasonOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}

/** Makes a function that warns once, about the first attribute that JSON writes as `{}` or as a text in quotes. */
export function oddAttributeWarning(logger: { readonly warn: (message: string) => void }): OddAttribute {
  let isWarned = false;
  return (name) => {
    if (isWarned) return;
    isWarned = true;
    logger.warn(
      `The context attribute ${quoted(name)} is an object that JSON writes as {} or as a text in quotes (a Set, Map, ` +
        'URL or an object of a class), which hardly any constraint matches: give text, a number, a list or a plain object',
    );
  };
}
