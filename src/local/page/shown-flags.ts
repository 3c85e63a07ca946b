import { flagWords } from '../../engine/explain/flag-words.js';
import type { Operation } from '../operations/operation.js';
import type { FlagRecord, NamespaceRecord } from '../state/records.js';
import type { Override } from '../state/overlay.js';

/** GET /local/v1/namespaces: the flags that the sender may see, described for people. */
export const listFlags: Operation = ({ store, overrides }, { caller }) => {
  const namespaces = [...store.state.namespaces.values()];
  const own = namespaces.filter(
    ({ key }) => caller.namespaceKey === undefined || caller.namespaceKey === key,
  );
  return own.map((namespace) => {
    const ofFlags = byFlag(overrides.of(namespace.key));
    const flags = Array.from(namespace.flags.values(), (flag) =>
      shownFlag(flag, namespace, ofFlags.get(flag.key) ?? []),
    );
    return { key: namespace.key, name: namespace.name, flags };
  });
};

function byFlag(overrides: readonly Override[]): ReadonlyMap<string, readonly Override[]> {
  const flags = new Map<string, Override[]>();
  for (const override of overrides) {
    const known = flags.get(override.flagKey);
    if (known === undefined) flags.set(override.flagKey, [override]);
    else known.push(override);
  }
  return flags;
}

/** `value` is absent if none is set for everybody. `forSome` counts the entities that have a value of their own. */
function shownFlag(flag: FlagRecord, namespace: NamespaceRecord, overrides: readonly Override[]): object {
  const { key, name, description, enabled, type } = flag;
  const forAll = overrides.find(({ entity }) => entity === undefined);
  return {
    key,
    name,
    description,
    enabled,
    type: type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant',
    variants:
      type === 'BOOLEAN_FLAG_TYPE' ? [] : Array.from(flag.variants.values(), (variant) => variant.key),
    ...(forAll && { value: forAll.value }),
    forSome: overrides.length - (forAll ? 1 : 0),
    words: flagWords(flag, namespace),
  };
}
