/**
 * Says that this Node.js is too old if it lacks methods that this package calls; returns `undefined` if it has them.
 */
export function oldNode(lists: object = Array.prototype): string | undefined {
  if ('toSorted' in lists) return undefined;
  return `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`;
}
