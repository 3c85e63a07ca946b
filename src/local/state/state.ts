import type { FlagRecord, Identified, NamespaceRecord, Stamp } from '../../features/records.js';

/**
 * Everything that the service stores. The state is immutable: a change makes a new {@link State} that shares the
 * unchanged parts with the old one, so nothing has to be undone if a change cannot be saved.
 */
export interface State {
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  /** The records of the tokens by the tokens' ids. */
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

export interface TokenRecord extends Identified {
  /** The SHA-256 hash of the client token in hex. The service does not store the token itself. */
  readonly hash: string;
  /** The only namespace that a client can use with the token. It is `undefined` if the token is for all namespaces. */
  readonly namespaceKey?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Returns the state with one flag added or replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord, stamp: Stamp): State {
  return withNamespace(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) }, stamp);
}

/** Returns the state with one namespace added or replaced. */
export function withNamespace(state: State, namespace: NamespaceRecord, { id }: Stamp): State {
  const namespaces = new Map(state.namespaces).set(namespace.key, { ...namespace, version: id() });
  return { ...state, namespaces };
}

/**
 * Returns the state with these namespaces in place of its own namespaces. A namespace that was written once keeps a
 * version, even if the namespace is empty now.
 */
export function withNamespaces(state: State, namespaces: State['namespaces'], { id }: Stamp): State {
  const versioned = Array.from(namespaces, ([key, namespace]) => {
    const hasVersion = state.namespaces.get(key)?.version !== undefined;
    return [key, hasVersion ? { ...namespace, version: namespace.version ?? id() } : namespace] as const;
  });
  return { ...state, namespaces: new Map(versioned) };
}
