const EXTENDED: unique symbol = Symbol.for('openfeature-flipt-provider.extended-context') as never;

/**
 * Marks the context of a question of which a browser has made up a part, an attribute or the flag's key. Answers to such
 * questions take at most a tenth of the cache, because a browser can make up any number of them.
 */
export function extendedContext<Context extends object>(context: Context): Context {
  return { ...context, [EXTENDED]: true };
}

export function isExtended(context: object): boolean {
  return EXTENDED in context;
}
