import type { FlagRecord, Identified, NamespaceRecord, Stamp } from '../../features/records.js';

/**
 * Everything that changes while the service runs, except overrides. The state is immutable: each change creates a new
 * {@link State}, which shares the unchanged parts with the old one. Because the state is immutable, nothing has to be
 * undone if a change cannot be saved.
 */
export interface State {
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  /** The created tokens, by their ids. */
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  /**
   * A message about what Flipt would refuse in the features that were loaded last. The member is `undefined` if Flipt
   * would refuse nothing, and also if the features came from objects or from the data file. The data file does not
   * contain the message.
   */
  readonly refused?: string | undefined;
}

export interface TokenRecord extends Identified {
  /** The SHA-256 hash of the token as hexadecimal text. The service does not store the token itself. */
  readonly hash: string;
  /** The only namespace that a client can use with this token, or `undefined` if the token is for all namespaces. */
  readonly namespaceKey?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Returns a new state in which one flag of the namespace is added or replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord, stamp: Stamp): State {
  return withNamespace(state, { ...namespace, flags: new Map(namespace.flags).set(flag.key, flag) }, stamp);
}

/** Returns a new state in which one namespace is added or replaced. */
export function withNamespace(state: State, namespace: NamespaceRecord, { id }: Stamp): State {
  const namespaces = new Map(state.namespaces).set(namespace.key, { ...namespace, version: id() });
  return { ...state, namespaces };
}

/**
 * Returns a new state with these namespaces in place of the old ones. A namespace in `namespaces` gets a version if it
 * had one in the old state, even if the namespace is empty now.
 */
export function withNamespaces(state: State, namespaces: State['namespaces'], { id }: Stamp): State {
  const versioned = Array.from(namespaces, ([key, namespace]) => {
    const hasVersion = state.namespaces.get(key)?.version !== undefined;
    return [key, hasVersion ? { ...namespace, version: namespace.version ?? id() } : namespace] as const;
  });
  return { ...state, namespaces: new Map(versioned) };
}
