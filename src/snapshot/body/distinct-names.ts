/**
 * Names things that have a key; several with different contents may have the same key. Equal key and content give the
 * same name. Each other content gets another name: first the key itself, then the key with a number after a NUL. No
 * other key gets such a name, because a key with a NUL in it always gets a number.
 */
export function distinctNames<Thing extends { readonly key: string }>(content: (thing: Thing) => string) {
  const byName = new Map<string, Thing>();
  const contents = new Map<string, string>();
  const namesOfKey = new Map<string, Map<string, string>>();
  return {
    byName,
    /** The name of a thing with this key and this content. */
    nameOf: (thing: Thing): string => {
      const { key } = thing;
      const text = content(thing);
      const names = namesOfKey.get(key) ?? new Map<string, string>();
      namesOfKey.set(key, names);
      const known = names.get(text);
      if (known !== undefined) return known;
      const name = names.size === 0 && !key.includes('\0') ? key : `${key}\0${names.size}`;
      names.set(text, name);
      contents.set(name, text);
      byName.set(name, thing);
      return name;
    },
    contentOf: (name: string) => contents.get(name) ?? '',
  };
}
