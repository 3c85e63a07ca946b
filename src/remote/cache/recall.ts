import { isObject } from '../../base/text/describe.js';

/**
 * Copies a text, such as a cache key, into one flat string. If a string was put together from pieces, V8 stores it as a
 * tree of these pieces, which takes several times the memory. The function copies through UTF-16, because a copy
 * through UTF-8 would lose lone surrogates.
 */
export function flat(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

/** An evaluation context as the caller of a resolve has passed it. */
export type GivenContext = Readonly<Record<string, unknown>>;

/**
 * The context of an earlier resolve, as its caller has passed it. Comparing two contexts takes a fraction of the time
 * that making a cache key takes. Most resolves that the cache answers only compare contexts, and make no cache key.
 */
export interface RememberedQuestion {
  /** The targetingKey of the remembered context. */
  readonly entity: string;
  /** The names of all attributes of the context, in the context's order. */
  readonly names: readonly string[];
  /** The values of the attributes in the order of `names`. */
  readonly values: readonly unknown[];
}

/**
 * This symbol stands for the value of an attribute that the provider does not send to Flipt, and that is not part of
 * the cache key.
 */
const UNSENT = Symbol('unsent');
/**
 * The store does not remember a context with more attributes than this, because `cache.maxBytes` does not count the
 * list of the attributes' names.
 */
const MOST_NAMES = 64;
/** V8 can store a text of at least this length as a part of a longer text, which then stays in memory, too. */
const SHORTEST_PART = 13;

/**
 * Returns a function that copies a context, so that `isAskedAgain` can compare later contexts with it. The returned
 * function returns `undefined` if the context's values cannot be compared reliably. `isSent` returns `true` for the
 * name of an attribute that the provider sends to Flipt.
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
    // Most contexts have the same attribute names, so that all remembered contexts can share one list of names.
    if (!isSameList(names, lastNames)) lastNames = names;
    return { entity: alone(entity), names: lastNames, values };
  };
}

/**
 * Returns `true` only if this context has the same cache key as the remembered context, for the same flag and the same
 * targetingKey.
 */
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

/**
 * Returns the values of a context's attributes in the order of `names`, with `UNSENT` in place of each attribute that
 * is not sent. Returns `undefined` if a value could change although the context is frozen: a getter or an object.
 */
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

/** Returns `true` if a context inherits no attributes. The provider does not send inherited attributes to Flipt. */
function inheritsNothing(context: GivenContext): boolean {
  const prototype: unknown = Object.getPrototypeOf(context);
  return prototype === Object.prototype || prototype === null;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
