import { isObject } from '../../base/text/describe.js';

/**
 * Copies a key into one flat string before it is stored. V8 keeps a string that was put together as a tree of its
 * pieces, which takes several times the memory. The copy is made through UTF-16, because a copy through UTF-8 would
 * lose lone surrogates.
 */
export function flat(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

/** A context as the caller gave it. */
export type GivenContext = Readonly<Record<string, unknown>>;

/**
 * A question that was asked before, as its caller gave it. Comparing a context with a known one costs a fraction of
 * making the question's key. The comparison is the hot path of a cached resolve.
 */
export interface RememberedQuestion {
  /** The context's targeting key. */
  readonly entity: string;
  /** All names in the context, in its order. */
  readonly names: readonly string[];
  /** The values of the attributes in the order of `names`. */
  readonly values: readonly unknown[];
}

/** This stands for the value of an attribute that is not part of the key. */
const UNSENT = Symbol('unsent');
/**
 * A context with more names than this is not remembered, because `cache.maxBytes` would not count the list of its
 * names.
 */
const MOST_NAMES = 64;
/** From this length on, V8 may keep a text as a part of a larger one, which would then stay in memory as well. */
const SHORTEST_PART = 13;

/**
 * Makes the function that makes a known question of a context. The function returns `undefined` if comparing values
 * could not show that a later context is the same. `isSent` says whether an attribute of this name is part of the key.
 */
export function rememberingQuestions(isSent: (name: string) => boolean) {
  let lastNames: readonly string[] = [];
  return (context: GivenContext): RememberedQuestion | undefined => {
    const entity = context.targetingKey;
    if (typeof entity !== 'string' || !Object.isFrozen(context) || !inheritsNothing(context))
      return undefined;
    const names = Object.keys(context);
    if (names.length > MOST_NAMES) return undefined;
    const values = lastingValues(context, names, isSent);
    if (values === undefined) return undefined;
    // Most contexts have the same names, so they share one list.
    if (!isSameList(names, lastNames)) lastNames = names;
    return { entity: alone(entity), names: lastNames, values };
  };
}

/** Whether a context asks the same question. */
export function isAskedAgain({ names, values }: RememberedQuestion, context: GivenContext): boolean {
  if (!inheritsNothing(context)) return false;
  let at = 0;
  // This loop is three times as fast as `Object.keys`, which makes a list of names.
  for (const name in context) {
    if (name !== names[at]) return false;
    const value = values[at++];
    if (value !== context[name] && value !== UNSENT) return false;
  }
  return at === names.length;
}

/** Returns the values of a frozen context; `undefined` if one of them may differ when it is read again. */
function lastingValues(
  context: GivenContext,
  names: readonly string[],
  isSent: (name: string) => boolean,
): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (const name of names) {
    const property = Object.getOwnPropertyDescriptor(context, name);
    if (!isSent(name)) values.push(UNSENT);
    else if (property === undefined || !('value' in property) || isObject(property.value)) return undefined;
    else values.push(typeof property.value === 'string' ? alone(property.value) : property.value);
  }
  return values;
}

function alone(text: string): string {
  return text.length < SHORTEST_PART ? text : flat(text);
}

/** Whether a context has no inherited names, which would not be sent. */
function inheritsNothing(context: GivenContext): boolean {
  const prototype: unknown = Object.getPrototypeOf(context);
  return prototype === Object.prototype || prototype === null;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
