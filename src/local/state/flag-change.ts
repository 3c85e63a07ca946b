import type { FlagRecord, NamespaceRecord, State } from './records.js';

/** The state with one flag replaced. */
export function withFlag(state: State, namespace: NamespaceRecord, flag: FlagRecord): State {
  const flags = new Map(namespace.flags).set(flag.key, flag);
  const namespaces = new Map(state.namespaces).set(namespace.key, { ...namespace, flags });
  return { ...state, namespaces };
}
