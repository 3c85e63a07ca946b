/** What the service evaluates. Everything is text, because the service compares only text. */
export interface Question {
  readonly namespace: string;
  readonly flag: string;
  /** The entity's id; `''` if the caller has none, which the service accepts. */
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The entity and the attributes of a context, as text. Names are in ascending order, each once. */
export interface Subject {
  readonly entity: string;
  readonly names: readonly string[];
  /** The values of `names`, position by position. */
  readonly texts: readonly string[];
}

export function questionOf(namespace: string, flag: string, { entity, names, texts }: Subject): Question {
  // Without a prototype, so that an attribute may be called __proto__.
  const attributes = Object.create(null) as Record<string, string>;
  names.forEach((name, at) => {
    attributes[name] = texts[at] ?? '';
  });
  return { namespace, flag, entity, attributes };
}
