import type { FlagRecord, NamespaceRecord, State } from './records.js';
import type { Stamp } from './ids-and-dates.js';

/** The state with one flag added or replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord, stamp: Stamp): State {
  return withNamespace(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) }, stamp);
}

/** The state with one namespace added or replaced. */
export function withNamespace(state: State, namespace: NamespaceRecord, { id }: Stamp): State {
  const namespaces = new Map(state.namespaces).set(namespace.key, { ...namespace, version: id() });
  return { ...state, namespaces };
}

/**
 * The state with other namespaces. A namespace that was ever written keeps having a version, even if it is empty now.
 */
export function withNamespaces(state: State, namespaces: State['namespaces'], { id }: Stamp): State {
  const versioned = Array.from(namespaces, ([key, namespace]) => {
    const known = state.namespaces.get(key)?.version !== undefined;
    return [key, known ? { ...namespace, version: namespace.version ?? id() } : namespace] as const;
  });
  return { ...state, namespaces: new Map(versioned) };
}
