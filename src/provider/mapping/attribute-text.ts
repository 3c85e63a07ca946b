import { types } from 'node:util';
import { isObject, messageOf, quoted } from '../../base/text/describe.js';
import type { Failure } from '../../model/failure.js';

/** Returns the failure that says why a context could not be read. */
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
 * The error of a context that cannot be sent to the service, so that the caller of the resolve gets INVALID_CONTEXT.
 */
export class InvalidContext extends Error {}

/** The choice of the context attributes that are sent to the service. If `undefined`, all attributes are sent. */
export type Selection =
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] }
  | undefined;

/** To be called with the name of an attribute whose text says nothing about its value. */
export type OddAttribute = (name: string) => void;

/**
 * Makes the function that reads single attributes, for evaluation in this process. Evaluation needs only a few
 * attributes, so that the others cost nothing and cannot fail. The function throws {@link InvalidContext} for an
 * attribute that cannot be written as text.
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

/** Makes the function that says whether an attribute of a name is sent. */
export function selector(selection: Selection): (name: string) => boolean {
  if (selection === undefined) return () => true;
  const isOnly = 'only' in selection;
  const named = new Set(isOnly ? selection.only : selection.except);
  return (name) => named.has(name) === isOnly;
}

/** Returns the entity's id. Throws {@link InvalidContext} for a targetingKey that cannot be written as text. */
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
 * Returns the text that the service compares, or `undefined` for a value that is not sent. Throws {@link
 * InvalidContext} if the value cannot be written as text.
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
    // The argument `written` is what `toJSON` has returned. The holder's own member is the value before `toJSON` was
    // called.
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
 * Returns whether JSON turns the object into `{}`, or into a text in quotes. No constraint expects either of these
 * texts.
 */
function isOdd(text: string | undefined, value: object): boolean {
  if (text?.startsWith('"')) return true;
  return text === '{}' && !isLiteral(value);
}

/**
 * Returns whether the object is a plain one. A plain object can come from another realm, such as that of a test runner.
 */
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

/** Makes the function that warns of the first attribute that JSON turns into `{}` or into a text in quotes. */
export function oddAttributeWarning(logger: { readonly warn: (message: string) => void }): OddAttribute {
  let isWarned = false;
  return (name) => {
    if (isWarned) return;
    isWarned = true;
    logger.warn(
      `The context attribute ${quoted(name)} is an object that JSON writes as {} or as a text in quotes (a Set, Map, ` +
        'URL or an object of a class): no constraint matches that; give text, a number, a list or a plain object',
    );
  };
}
