import { firstOf, isObject, isPlainObject, quoted } from '../../base/text/describe.js';
import { parsedJson, writtenJson } from '../../base/text/json.js';
import { applyOverrides, type Override, type Overrides } from './apply-overrides.js';
import { canGive, cannotGive, type OverrideValue } from './override-value.js';
import type { FlagRecord, NamespaceRecord, Stamp } from '../../features/records.js';
import type { Store } from './state-store.js';

/**
 * For which flag, and for which entity, an override is set. If the entity is `undefined`, the override is for all
 * entities.
 */
export interface OverrideTarget extends Omit<Override, 'value'> {
  readonly namespaceKey: string;
}

/** The reason why an override is not possible. The message says which namespaces, flags or values are possible. */
export interface OverrideProblem {
  readonly kind: 'missing' | 'wrong';
  readonly message: string;
}

interface Overridden {
  readonly overrides: Overrides;
  /** Caches, for each version of the namespace, the same namespace with its overrides applied. */
  readonly served: WeakMap<NamespaceRecord, NamespaceRecord>;
}

/**
 * Holds the values that tests, or users of the web page, have set for flags ("overrides"). Overrides do not change the
 * namespaces in the store. The service never saves overrides in a file.
 */
export class FlagOverrides {
  private readonly namespaces = new Map<string, Overridden>();

  constructor(
    private readonly store: Store,
    private readonly stamp: Stamp,
  ) {}

  /** Returns a namespace with its overrides applied, as evaluation, explanations and snapshots need it. */
  served(namespaceKey: string): NamespaceRecord | undefined {
    const namespace = this.store.state.namespaces.get(namespaceKey);
    const overridden = this.namespaces.get(namespaceKey);
    if (namespace === undefined || overridden === undefined) return namespace;
    const cached = overridden.served.get(namespace);
    const served = cached ?? applyOverrides(namespace, overridden.overrides, this.stamp);
    overridden.served.set(namespace, served);
    return served;
  }

  /** Returns all overrides of flags in a namespace. */
  of(namespaceKey: string): Overrides {
    return this.namespaces.get(namespaceKey)?.overrides ?? [];
  }

  /**
   * Sets an override. The new override replaces an earlier override for the same flag and the same entity. If the
   * override is not possible, the method returns a problem.
   */
  set(target: OverrideTarget, value: unknown): OverrideProblem | undefined {
    const flag = this.flagOf(target);
    if ('message' in flag) return flag;
    const copy = copyOf(value);
    if (copy === undefined || !canGive(flag, copy))
      return { kind: 'wrong', message: cannotGive(flag, value) };
    const { namespaceKey, flagKey, entity } = target;
    const isReplaced = (other: Override) => other.flagKey === flagKey && other.entity === entity;
    this.replace(namespaceKey, isReplaced, { flagKey, entity, value: copy });
    return undefined;
  }

  /**
   * Removes the override for one entity, or all overrides of the flag. If the flag or its namespace does not exist, the
   * method returns a problem.
   */
  remove(target: OverrideTarget): OverrideProblem | undefined {
    const flag = this.flagOf(target);
    if ('message' in flag) return flag;
    const { namespaceKey, flagKey, entity } = target;
    const isRemoved = (other: Override) =>
      other.flagKey === flagKey && (entity === undefined || other.entity === entity);
    this.replace(namespaceKey, isRemoved);
    return undefined;
  }

  /** Removes all overrides. */
  reset(): void {
    this.namespaces.clear();
    this.store.announce();
  }

  private flagOf({ namespaceKey, flagKey }: OverrideTarget): FlagRecord | OverrideProblem {
    const { namespaces } = this.store.state;
    const namespace = namespaces.get(namespaceKey);
    if (namespace === undefined) return noSuch(`namespace ${quoted(namespaceKey)}`, namespaces);
    const named = quoted(`${namespaceKey}/${flagKey}`);
    return namespace.flags.get(flagKey) ?? noSuch(`flag ${named}`, namespace.flags);
  }

  private replace(namespaceKey: string, isOld: (other: Override) => boolean, ...added: Override[]): void {
    const overrides = [...this.of(namespaceKey).filter((other) => !isOld(other)), ...added];
    if (overrides.length === 0) this.namespaces.delete(namespaceKey);
    else this.namespaces.set(namespaceKey, { overrides, served: new WeakMap() });
    this.store.announce();
  }
}

function noSuch(what: string, existing: ReadonlyMap<string, unknown>): OverrideProblem {
  const there = existing.size === 0 ? 'there is none' : `there is ${firstOf([...existing.keys()])}`;
  return { kind: 'missing', message: `${what} not found; ${there}` };
}

/**
 * Returns a copy of the override's value, because the caller might change the object later. Returns `undefined` for a
 * value that no flag can have, such as NaN or `null`.
 */
function copyOf(value: unknown): OverrideValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (!isPlainObject(value) && !Array.isArray(value)) return undefined;
  const copy = parsedJson(writtenJson(value) ?? '');
  return isObject(copy) ? copy : undefined;
}
