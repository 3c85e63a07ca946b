/** Returns the message that Node.js is too old, if arrays lack the method `toSorted`, and otherwise `undefined`. */
export function oldNode(lists: object = Array.prototype): string | undefined {
  if ('toSorted' in lists) return undefined;
  return `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`;
}
