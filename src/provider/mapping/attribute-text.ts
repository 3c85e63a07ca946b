import { types } from 'node:util';
import { isObject, messageOf, quoted } from '../../base/text/describe.js';
import type { Failure } from '../../model/failure.js';

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

export class InvalidContext extends Error {}

export type Selection =
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] }
  | undefined;

/** Told of an attribute whose object JSON writes as `{}` or as a text in quotes, such as a Map: hardly meant. */
export type OddAttribute = (name: string) => void;

/** In-process evaluation reads only what constraints compare: other attributes cost nothing and cannot fail. */
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

export function selector(selection: Selection): (name: string) => boolean {
  if (selection === undefined) return () => true;
  const isOnly = 'only' in selection;
  const named = new Set(isOnly ? selection.only : selection.except);
  return (name) => named.has(name) === isOnly;
}

export function entityId(targetingKey: unknown): string {
  if (typeof targetingKey === 'string') return targetingKey;
  if ((targetingKey ?? '') === '') return '';
  try {
    return String(targetingKey);
  } catch (error) {
    throw new InvalidContext(`targetingKey: cannot be written as text (${reasonOf(error)})`);
  }
}

/** Values that are not sent, such as `null` and `NaN`, have no text. */
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

function isOdd(text: string | undefined, value: object): boolean {
  if (text?.startsWith('"')) return true;
  return text === '{}' && !isLiteral(value);
}

/** Also a plain object of another realm, such as a test runner's. */
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

function reasonOf(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}

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
