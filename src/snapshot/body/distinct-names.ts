/**
 * Gives each thing a name: its key, or the key with a number after a NUL if another content has that name already.
 * Things with the same key and content share one. A key that contains a NUL always gets a number, so that no key is
 * equal to a name that was made here. `before`: things that were named earlier, and keep their names.
 */
export function distinctNames<Thing extends { readonly key: string }>(
  content: (thing: Thing) => string,
  before: ReadonlyMap<string, Thing> = new Map(),
) {
  const byName = new Map<string, Thing>();
  const contents = new Map<string, string>();
  const namesOfKey = new Map<string, Map<string, string>>();
  /** By key; grouped when it is first needed. */
  let namedBefore: ReturnType<typeof byKey<Thing>> | undefined;

  /** By content: the names of things with this key. */
  const namesOf = (key: string) => {
    const known = namesOfKey.get(key);
    if (known !== undefined) return known;
    const names = new Map<string, string>();
    namedBefore ??= byKey(before);
    for (const [name, thing] of namedBefore.get(key) ?? []) names.set(content(thing), name);
    namesOfKey.set(key, names);
    return names;
  };
  const newName = (key: string, number: number) => {
    if (number === 0 && !key.includes('\0')) return key;
    let name = `${key}\0${number}`;
    for (let next = number + 1; byName.has(name) || before.has(name); next++) name = `${key}\0${next}`;
    return name;
  };

  return {
    byName,
    /** The name of a thing with this key and this content. */
    nameOf: (thing: Thing): string => {
      const names = namesOf(thing.key);
      const text = content(thing);
      const name = names.get(text) ?? newName(thing.key, names.size);
      names.set(text, name);
      if (!contents.has(name)) {
        contents.set(name, text);
        byName.set(name, thing);
      }
      return name;
    },
    contentOf: (name: string) => contents.get(name) ?? '',
    /** Takes over a thing that was named before. */
    keep: (name: string) => {
      const thing = before.get(name);
      if (thing !== undefined) byName.set(name, thing);
    },
  };
}

function byKey<Thing extends { readonly key: string }>(things: ReadonlyMap<string, Thing>) {
  const groups = new Map<string, (readonly [name: string, thing: Thing])[]>();
  for (const named of things) {
    const group = groups.get(named[1].key);
    if (group === undefined) groups.set(named[1].key, [named]);
    else group.push(named);
  }
  return groups;
}
