/** Options with their defaults filled in. */
export type WithDefaults<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

export function filledIn<T extends object>(
  defaults: T,
  given: { readonly [K in keyof T]?: T[K] | undefined } | undefined,
): T {
  return { ...defaults, ...set(given ?? {}) };
}

/** The options with defaults; `undefined` if they are switched off. */
export function switched<T extends object>(
  defaults: T,
  given: boolean | { readonly [K in keyof T]?: T[K] | undefined } | undefined,
): T | undefined {
  return given === false ? undefined : filledIn(defaults, given === true ? undefined : given);
}

/** Leaves out options that are `undefined`, which count as not set. */
export function set(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
