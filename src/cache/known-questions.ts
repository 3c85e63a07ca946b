/** A context as the caller gave it. */
export type GivenContext = Readonly<Record<string, unknown>>;

/** Finds what was kept for a question by its context, without making the question's key. */
export interface KnownQuestions<Kept> {
  /** `undefined` if the question is not known, or if comparing values cannot show that it is. */
  readonly find: (flag: string, context: GivenContext) => Kept | undefined;
  /** Keeps nothing for a context whose values may still change. */
  readonly keep: (flag: string, context: GivenContext, kept: Kept) => void;
}

interface KnownQuestion<Kept> {
  /** All names in the context, in its order. */
  readonly names: readonly string[];
  /** The values of `names`, position by position. */
  readonly values: readonly unknown[];
  readonly kept: Kept;
}

/** By flag, then by targeting key. */
type Generation<Kept> = Map<string, Map<string, KnownQuestion<Kept>>>;

/** Stands for the value of an attribute that is not part of the key. */
const UNSENT = Symbol('unsent');

/**
 * The hot path of a cached resolve: comparing a context with a known one costs a fraction of making its key. Keeps
 * about `max` questions in two generations. When the younger generation holds half of them, the older one is dropped,
 * except for the questions that were found since.
 */
export function knownQuestions<Kept>(max: number, isSent: (name: string) => boolean): KnownQuestions<Kept> {
  let young: Generation<Kept> = new Map();
  let old: Generation<Kept> = new Map();
  let size = 0;
  let lastNames: readonly string[] = [];

  const put = (flag: string, entity: string, question: KnownQuestion<Kept>): void => {
    if (size >= max / 2) {
      old = young;
      young = new Map();
      size = 0;
    }
    const byEntity = young.get(flag) ?? new Map<string, KnownQuestion<Kept>>();
    young.set(flag, byEntity);
    if (!byEntity.has(entity)) size++;
    byEntity.set(entity, question);
  };

  return {
    find(flag, context) {
      const entity = context.targetingKey;
      if (typeof entity !== 'string') return undefined;
      const recent = young.get(flag)?.get(entity);
      const known = recent ?? old.get(flag)?.get(entity);
      if (known === undefined || !inheritsNothing(context) || !isSameContext(known, context))
        return undefined;
      if (recent === undefined) put(flag, entity, known);
      return known.kept;
    },
    keep(flag, context, kept) {
      const entity = context.targetingKey;
      if (typeof entity !== 'string' || !Object.isFrozen(context) || !inheritsNothing(context)) return;
      const names = Object.keys(context);
      const values = lastingValues(context, names, isSent);
      if (values === undefined) return;
      // Most contexts have the same names, so they share one list.
      if (!isSameList(names, lastNames)) lastNames = names;
      put(flag, entity, { names: lastNames, values, kept });
    },
  };
}

/** The values of a frozen context; `undefined` if one of them may differ when it is read again. */
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
    else values.push(property.value);
  }
  return values;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Inherited names are not sent. */
function inheritsNothing(context: GivenContext): boolean {
  const prototype: unknown = Object.getPrototypeOf(context);
  return prototype === Object.prototype || prototype === null;
}

function isSameContext({ names, values }: KnownQuestion<unknown>, context: GivenContext): boolean {
  let at = 0;
  // Three times as fast as `Object.keys`, which makes a list of names.
  for (const name in context) {
    if (name !== names[at]) return false;
    const value = values[at++];
    if (value !== context[name] && value !== UNSENT) return false;
  }
  return at === names.length;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
