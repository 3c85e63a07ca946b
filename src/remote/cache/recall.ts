import { isObject } from '../../base/text/describe.js';

/**
 * Copies a key into one flat string. If a string was put together from pieces, V8 stores it as a tree of these pieces,
 * which takes several times the memory. The copy is made through UTF-16, because a copy through UTF-8 would lose lone
 * surrogates.
 */
export function flat(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

/** A context in the form in which the caller gave it. */
export type GivenContext = Readonly<Record<string, unknown>>;

/**
 * A question that was asked before, in the form in which its caller gave it. Comparing a context with a remembered one
 * costs a fraction of what making the question's key costs. The comparison is the hot path of an answer from the cache.
 */
export interface RememberedQuestion {
  /** The context's targeting key. */
  readonly entity: string;
  /** The names of all attributes of the context, in the context's order. */
  readonly names: readonly string[];
  /** The values of the attributes in the order of `names`. */
  readonly values: readonly unknown[];
}

/** This symbol stands for the value of an attribute that is not part of the question's key. */
const UNSENT = Symbol('unsent');
/**
 * A context with more attributes than this is not remembered, because `cache.maxBytes` does not count the list of the
 * attributes' names.
 */
const MOST_NAMES = 64;
/** V8 can store a text of this length or more as a part of a larger text, which then stays in memory as well. */
const SHORTEST_PART = 13;

/**
 * Returns a function that makes a remembered question from a context. The returned function returns `undefined` for a
 * context whose values cannot be compared reliably with those of a later context. `isSent` returns whether the
 * attribute of a name is part of the question's key.
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
    // Most contexts have the same attribute names, so their remembered questions share one list of names.
    if (!isSameList(names, lastNames)) lastNames = names;
    return { entity: alone(entity), names: lastNames, values };
  };
}

/** Returns whether a question with this context is the same as the remembered one. */
export function isAskedAgain({ names, values }: RememberedQuestion, context: GivenContext): boolean {
  if (!inheritsNothing(context)) return false;
  let at = 0;
  // This loop is three times as fast as a loop over `Object.keys`, which makes a list of the names.
  for (const name in context) {
    if (name !== names[at]) return false;
    const value = values[at++];
    if (value !== context[name] && value !== UNSENT) return false;
  }
  return at === names.length;
}

/** Returns the values of a frozen context, or `undefined` if one of the values could differ when it is read again. */
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

/** Returns whether a context inherits no attributes. Inherited attributes would not be sent. */
function inheritsNothing(context: GivenContext): boolean {
  const prototype: unknown = Object.getPrototypeOf(context);
  return prototype === Object.prototype || prototype === null;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
