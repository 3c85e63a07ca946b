import { isPlainObject } from '../../text/describe.js';
import { quoted } from '../../text/quote.js';
import { overlaid, type Override } from './overlay.js';
import { canGive, cannotGive, namedKeys, type OverrideValue } from './override-value.js';
import type { FlagRecord, NamespaceRecord, Stamp } from './records.js';
import type { Store } from './state-store.js';

/** A flag, for one entity or for everybody. */
export interface OverrideTarget {
  readonly namespaceKey: string;
  readonly flagKey: string;
  readonly entity: string | undefined;
}

/** Why an override is not possible; the message says which values are. */
export interface OverrideProblem {
  readonly kind: 'missing' | 'wrong';
  readonly message: string;
}

interface Overridden {
  readonly overrides: readonly Override[];
  /** The namespaces with overrides, by the same namespaces without them. */
  readonly served: WeakMap<NamespaceRecord, NamespaceRecord>;
}

/**
 * The only owner of overrides. They cover the store's namespaces and change nothing in them. So they are never saved,
 * and a change of a covered flag is kept and shows when the override is removed.
 */
export class FlagOverrides {
  private readonly namespaces = new Map<string, Overridden>();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly store: Store,
    private readonly stamp: Stamp,
  ) {}

  /** A namespace as it is evaluated, with its overrides. */
  served(namespaceKey: string): NamespaceRecord | undefined {
    const namespace = this.store.state.namespaces.get(namespaceKey);
    const overridden = this.namespaces.get(namespaceKey);
    if (namespace === undefined || overridden === undefined) return namespace;
    const known = overridden.served.get(namespace);
    if (known !== undefined) return known;
    const served = overlaid(namespace, overridden.overrides, this.stamp);
    overridden.served.set(namespace, served);
    return served;
  }

  /** The overrides in a namespace. */
  of(namespaceKey: string): readonly Override[] {
    return this.namespaces.get(namespaceKey)?.overrides ?? [];
  }

  /** Replaces the override for the same target. Returns a problem if the override is not possible. */
  set(target: OverrideTarget, value: unknown): OverrideProblem | undefined {
    const flag = this.flagOf(target);
    if ('message' in flag) return flag;
    const copy = copyOf(value);
    if (copy === undefined || !canGive(flag, copy))
      return { kind: 'wrong', message: cannotGive(flag, value) };
    const { namespaceKey, flagKey, entity } = target;
    const others = this.without(namespaceKey, (other) => isSame(other, target));
    this.become(namespaceKey, [...others, { flagKey, entity, value: copy }]);
    return undefined;
  }

  /** Removes the override for one entity, or all overrides of the flag. Returns a problem if that is not possible. */
  remove(target: OverrideTarget): OverrideProblem | undefined {
    const flag = this.flagOf(target);
    if ('message' in flag) return flag;
    const { namespaceKey, flagKey, entity } = target;
    const isMeant = (other: Override) =>
      entity === undefined ? other.flagKey === flagKey : isSame(other, target);
    this.become(namespaceKey, this.without(namespaceKey, isMeant));
    return undefined;
  }

  /** Removes all. */
  reset(): void {
    this.namespaces.clear();
    this.announce();
  }

  /** Calls `changed` after each change of what is evaluated. Returns a function that stops the calls. */
  onChange(changed: () => void): () => void {
    const endOfStore = this.store.onChange(changed);
    this.listeners.add(changed);
    return () => {
      endOfStore();
      this.listeners.delete(changed);
    };
  }

  private flagOf({ namespaceKey, flagKey }: OverrideTarget): FlagRecord | OverrideProblem {
    const { namespaces } = this.store.state;
    const namespace = namespaces.get(namespaceKey);
    if (namespace === undefined) return notFound(`namespace ${quoted(namespaceKey)}`, namespaces);
    const named = quoted(`${namespaceKey}/${flagKey}`);
    return namespace.flags.get(flagKey) ?? notFound(`flag ${named}`, namespace.flags);
  }

  private without(namespaceKey: string, isMeant: (override: Override) => boolean): readonly Override[] {
    return this.of(namespaceKey).filter((override) => !isMeant(override));
  }

  private become(namespaceKey: string, overrides: readonly Override[]): void {
    if (overrides.length === 0) this.namespaces.delete(namespaceKey);
    else this.namespaces.set(namespaceKey, { overrides, served: new WeakMap() });
    this.announce();
  }

  private announce(): void {
    for (const changed of this.listeners) changed();
  }
}

function isSame(override: Override, { flagKey, entity }: OverrideTarget): boolean {
  return override.flagKey === flagKey && override.entity === entity;
}

function notFound(what: string, known: ReadonlyMap<string, unknown>): OverrideProblem {
  const there = known.size === 0 ? 'there is none' : `there is ${namedKeys([...known.keys()])}`;
  return { kind: 'missing', message: `${what} not found; ${there}` };
}

/** A copy, because the caller may change the object later; `undefined` for a value that JSON cannot express. */
function copyOf(value: unknown): OverrideValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (!isPlainObject(value) && !Array.isArray(value)) return undefined;
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    return typeof copy === 'object' && copy !== null ? copy : undefined;
  } catch {
    return undefined;
  }
}
