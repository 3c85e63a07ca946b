/** All copies of this package share this symbol, because `ofrep` might belong to another copy than the provider. */
const EXTENDED: unique symbol = Symbol.for('openfeature-flipt-provider.extended-context') as never;

/**
 * Marks a context to which a browser has added attributes. A browser can make as many different contexts as it likes.
 */
export function extendedContext<Context extends object>(context: Context): Context {
  return { ...context, [EXTENDED]: true };
}

export function isExtended(context: object): boolean {
  return EXTENDED in context;
}
