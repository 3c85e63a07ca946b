import { isDeepStrictEqual } from 'node:util';
import { beginningOf, firstOf, kindOf, quoted } from '../base/text/describe.js';
import { parsedJson, writtenJson } from '../base/text/json.js';
import type { Rollout, Variant } from '../engine/features.js';
import type { FlagRecord, NamespaceRecord, VariantFlagRecord, VariantRecord } from '../features/normalize.js';
import { Refusal } from './request.js';
import { newDates, newIdentity, type Store } from './store.js';

export type OverrideValue = boolean | string | number | object;

export interface Target {
  readonly namespaceKey: string;
  readonly flagKey: string;
  /** `undefined` stands for everybody. */
  readonly entity: string | undefined;
}

type Override = Target & { readonly value: unknown };

/** From tests, or users of the page. Never saved. */
export class Overrides {
  private all: readonly Override[] = [];
  private made = new WeakMap<NamespaceRecord, NamespaceRecord>();

  constructor(private readonly store: Store) {}

  of(namespaceKey: string, flagKey: string): readonly Override[] {
    return this.all.filter((each) => each.namespaceKey === namespaceKey && each.flagKey === flagKey);
  }

  /** As evaluation, explanations and snapshots see it. */
  served(namespaceKey: string): NamespaceRecord | undefined {
    const stored = this.store.state.namespaces.get(namespaceKey);
    const overrides = this.all.filter((each) => each.namespaceKey === namespaceKey);
    if (!stored || overrides.length === 0) return stored;
    const served = this.made.get(stored) ?? overridden(stored, overrides);
    this.made.set(stored, served);
    return served;
  }

  set(target: Target, value: unknown): void {
    const flag = this.flagOf(target);
    // The caller might change the object later.
    const copy = parsedJson(writtenJson(value) ?? '');
    if (!canGive(flag, copy)) throw new Refusal(400, cannotGive(flag, value));
    const others = this.all.filter((each) => !isOfFlag(each, target) || each.entity !== target.entity);
    this.become([...others, { ...target, value: copy }]);
  }

  /** Without an entity, all overrides of the flag go. */
  remove(target: Target): void {
    this.flagOf(target);
    const isKept = ({ entity }: Target) => target.entity !== undefined && entity !== target.entity;
    this.become(this.all.filter((each) => !isOfFlag(each, target) || isKept(each)));
  }

  reset(): void {
    this.become([]);
  }

  private become(all: readonly Override[]): void {
    this.all = all;
    this.made = new WeakMap();
    this.store.announce();
  }

  private flagOf({ namespaceKey, flagKey }: Target): FlagRecord {
    const { namespaces } = this.store.state;
    const namespace = namespaces.get(namespaceKey);
    if (!namespace) throw noSuch(`namespace ${quoted(namespaceKey)}`, namespaces);
    const flag = namespace.flags.get(flagKey);
    if (!flag) throw noSuch(`flag ${quoted(`${namespaceKey}/${flagKey}`)}`, namespace.flags);
    return flag;
  }
}

function isOfFlag(one: Target, other: Target): boolean {
  return one.namespaceKey === other.namespaceKey && one.flagKey === other.flagKey;
}

function noSuch(what: string, existing: ReadonlyMap<string, unknown>): Refusal {
  const there = existing.size === 0 ? 'there is none' : `there is ${firstOf([...existing.keys()])}`;
  return new Refusal(404, `${what} not found; ${there}`);
}

function overridden(namespace: NamespaceRecord, overrides: readonly Override[]): NamespaceRecord {
  const flags = new Map(namespace.flags);
  const segments = new Map(namespace.segments);
  const isForAll = ({ entity }: Override) => entity === undefined;
  // Each is put in front of those before it.
  const ordered = [...overrides.filter(isForAll), ...overrides.filter((each) => !isForAll(each))];
  for (const { flagKey, entity, value } of ordered) {
    const flag = flags.get(flagKey);
    // The flag may have changed since the override was set.
    if (!flag || !canGive(flag, value)) continue;
    const segment = entity === undefined ? undefined : entitySegment(entity);
    if (segment) segments.set(segment.key, segment);
    flags.set(flagKey, withValue(flag, value, segment?.key));
  }
  return { ...namespace, flags, segments };
}

/** With spaces in its key, the segment cannot replace one of the user's. */
function entitySegment(entity: string) {
  const key = `override for ${entity}`;
  const comparison = {
    type: 'ENTITY_ID_COMPARISON_TYPE',
    property: 'entityId',
    operator: 'eq',
    value: entity,
  } as const;
  const constraints = [{ ...newIdentity(), ...comparison, description: '' }];
  return {
    key,
    name: key,
    description: '',
    matchType: 'ALL_MATCH_TYPE',
    constraints,
    ...newDates(),
  } as const;
}

/** For everybody, or in front of the rules for one segment. */
function withValue(flag: FlagRecord, value: unknown, segmentKey: string | undefined): FlagRecord {
  const choice = { segmentKeys: [segmentKey ?? ''], segmentOperator: 'OR_SEGMENT_OPERATOR' } as const;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const isOn = value === true;
    if (segmentKey === undefined) return { ...flag, enabled: isOn, rollouts: [] };
    const rollout: Rollout = { kind: 'segment', ...choice, value: isOn };
    return { ...flag, rollouts: [rollout, ...flag.rollouts] };
  }
  const variant = variantFor(flag.variants, value);
  const variants = new Map(flag.variants).set(variant.id, variant);
  if (segmentKey === undefined)
    return { ...flag, enabled: true, variants, rules: [], defaultVariantId: variant.id };
  const distributions = [{ ...newIdentity(), variantId: variant.id, rollout: 100 }];
  const rule = { ...newIdentity(), ...choice, rank: 1, distributions };
  // A disabled flag is enabled for the one user; all others still get their own default.
  const { rules, defaultVariantId } = flag.enabled ? flag : { rules: [], defaultVariantId: undefined };
  const ranked = [rule, ...rules].map((each, at) => ({ ...each, rank: at + 1 }));
  return { ...flag, enabled: true, variants, rules: ranked, defaultVariantId };
}

/** Made if the flag has none with this value. */
function variantFor(variants: VariantFlagRecord['variants'], value: unknown): VariantRecord {
  const found = [...variants.values()].find((variant) =>
    isDeepStrictEqual(valueAs(typeof value, variant), value),
  );
  if (found) return found;
  const text = JSON.stringify(value);
  const made =
    typeof value === 'object' ? { key: 'override', attachment: text } : { key: text, attachment: '' };
  return { ...newIdentity(), ...made, name: made.key, description: '' };
}

/** As a provider reads it if the app asks for a value of this type. */
function valueAs(type: string, { key, attachment }: Variant): unknown {
  const values = [key, parsedJson(key), parsedJson(attachment)];
  return values.find((value) => typeof value === type && value !== null);
}

/** A text that is no variant's key is probably misspelt. */
function canGive(flag: FlagRecord, value: unknown): boolean {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return typeof value === 'boolean';
  const values = Array.from(flag.variants.values(), (variant) => valueAs(typeof value, variant));
  return typeof value === 'string'
    ? values.includes(value)
    : values.some((each) => each !== undefined) && value !== null;
}

function cannotGive(flag: FlagRecord, value: unknown): string {
  const isShort = typeof value === 'number' || typeof value === 'boolean';
  const given =
    typeof value === 'string' ? quoted(beginningOf(value)) : isShort ? String(value) : kindOf(value);
  return `${quoted(flag.key)} can be ${possible(flag)}; got ${given}`;
}

function possible(flag: FlagRecord): string {
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return 'true or false';
  const variants = [...flag.variants.values()];
  if (variants.length === 0) return 'nothing, because it has no variants';
  const kinds = ['boolean', 'number', 'object'].filter((type) =>
    variants.some((variant) => valueAs(type, variant) !== undefined),
  );
  return [firstOf(variants.map(({ key }) => key)), ...kinds.map((type) => `any ${type}`)].join(' or ');
}
