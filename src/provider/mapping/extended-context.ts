/** All copies of this package share the symbol: `ofrep` may be of another one than the provider. */
const EXTENDED: unique symbol = Symbol.for('openfeature-flipt-provider.extended-context') as never;

/** Marks a context to which a browser has added attributes, and so can make as many different ones as it likes. */
export function extendedContext<Context extends object>(context: Context): Context {
  return { ...context, [EXTENDED]: true };
}

export function isExtended(context: object): boolean {
  return EXTENDED in context;
}
