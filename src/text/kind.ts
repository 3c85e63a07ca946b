/**
 * Whether its members are what it holds. Lists, Maps, Headers, dates and promises are objects too, mostly without
 * members of their own: what is in them would go unseen.
 */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}
