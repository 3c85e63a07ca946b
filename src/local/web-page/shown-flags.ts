import { flagWords } from '../../engine/explain/flag-words.js';
import type { Operation } from '../operations/operation.js';
import type { FlagRecord, NamespaceRecord } from '../../features/records.js';
import type { Override } from '../state/apply-overrides.js';

/** GET /local/v1/namespaces: the flags that the sender may see, described for people. */
export const listFlags: Operation = ({ store, overrides }, { caller }) => {
  const namespaces = [...store.state.namespaces.values()];
  const own = namespaces.filter(
    ({ key }) => caller.namespaceKey === undefined || caller.namespaceKey === key,
  );
  const json = own.map((namespace) => {
    const flags = Array.from(namespace.flags.values(), (flag) =>
      shownFlag(flag, namespace, overrides.of(namespace.key)),
    );
    return { key: namespace.key, name: namespace.name, flags };
  });
  return { json };
};

/** `value` is absent if none is set for everybody. `forSome` counts the entities that have a value of their own. */
function shownFlag(flag: FlagRecord, namespace: NamespaceRecord, all: readonly Override[]): object {
  const { key, name, description, enabled, type } = flag;
  const overrides = all.filter(({ flagKey }) => flagKey === key);
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
