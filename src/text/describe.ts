/** What kind of value it is, for a message that must not show the value: `null`, `a list`, `an object`, `a string`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Whether all that the value holds is in its own members. Lists, Maps, Headers, dates and promises are objects too, but
 * keep their content elsewhere, where it would go unseen.
 */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Whether the value can be awaited: promises of other realms and libraries are no instances of `Promise`. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** The message of anything that was thrown: not only errors are. Never throws, for that would hide what has failed. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'an error without a message';
  }
}
