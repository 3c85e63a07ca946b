/**
 * All copies of this package share this symbol, because an app might load the entry `ofrep` from one copy and the
 * provider from another.
 */
const EXTENDED: unique symbol = Symbol.for('openfeature-flipt-provider.extended-context') as never;

/**
 * Marks a context to which a browser has added attributes. Answers for marked contexts take at most a tenth of the
 * cache, because a browser can make any number of different contexts.
 */
export function extendedContext<Context extends object>(context: Context): Context {
  return { ...context, [EXTENDED]: true };
}

export function isExtended(context: object): boolean {
  return EXTENDED in context;
}
