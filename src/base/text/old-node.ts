/** Node has this function from 20.16 on. */
export function oldNode(): string | undefined {
  if (typeof Reflect.get(process, 'getBuiltinModule') === 'function') return undefined;
  return `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`;
}
