import type { Rollout, SegmentChoice } from '../../engine/features.js';
import { rulesInForce } from '../../engine/parts-in-force.js';
import { segmentChoice } from '../../features/normal-forms.js';
import { canGive, chosenVariant, freeKeys, type OverrideValue } from './override-value.js';
import { newDates, newIdentity } from '../../features/records.js';
import type { BooleanFlagRecord, NamespaceRecord, Stamp, VariantFlagRecord } from '../../features/records.js';

/** A value that a test, or a user of the web page, has set for a flag. */
export interface Override {
  readonly flagKey: string;
  /** The only entity that gets the value, or `undefined` if all entities get the value. */
  readonly entity: string | undefined;
  readonly value: OverrideValue;
}

export type Overrides = readonly Override[];

/**
 * Applies overrides to a namespace. For each entity with an override, the function adds a segment, and rules or
 * rollouts that use this segment. An override for all entities replaces the flag's own rules or rollouts. Because the
 * overrides become part of the namespace, the code for evaluation, snapshots and explanations does not have to handle
 * overrides. An override has no effect if its flag does not exist, or if the flag can no longer give the override's
 * value.
 */
export function applyOverrides(namespace: NamespaceRecord, overrides: Overrides, stamp: Stamp) {
  const flags = new Map(namespace.flags);
  const segments = new Map(namespace.segments);
  const choices = new Map<string, SegmentChoice>();
  const segmentKeys = freeKeys(namespace.segments);

  const choiceOf = (entity: string): SegmentChoice => {
    const cached = choices.get(entity);
    if (cached !== undefined) return cached;
    const segment = entitySegment(segmentKeys.next().value, entity, stamp);
    const choice = segmentChoice([segment.key]);
    segments.set(segment.key, segment);
    choices.set(entity, choice);
    return choice;
  };

  for (const flag of namespace.flags.values()) {
    const its = overrides.filter(({ flagKey, value }) => flagKey === flag.key && canGive(flag, value));
    if (its.length === 0) continue;
    const overridden =
      flag.type === 'BOOLEAN_FLAG_TYPE'
        ? booleanOverridden(flag, its, choiceOf)
        : variantOverridden(flag, its, choiceOf, stamp);
    flags.set(flag.key, { ...overridden, ...newDates(stamp) });
  }
  return { ...namespace, flags, segments, version: stamp.id() };
}

function entitySegment(key: string, entity: string, stamp: Stamp) {
  const constraint = {
    ...newIdentity(stamp),
    type: 'ENTITY_ID_COMPARISON_TYPE',
    property: 'entityId',
    operator: 'eq',
    value: entity,
    description: '',
  } as const;
  const about = { key, name: key, description: '', matchType: 'ALL_MATCH_TYPE' } as const;
  return { ...about, constraints: [constraint], ...newDates(stamp) };
}

type ChoiceOf = (entity: string) => SegmentChoice;

function booleanOverridden(flag: BooleanFlagRecord, overrides: Overrides, choiceOf: ChoiceOf) {
  let { enabled, rollouts } = flag;
  const inFront: Rollout[] = [];
  for (const { entity, value } of overrides) {
    if (entity === undefined) [enabled, rollouts] = [value === true, []];
    else inFront.push({ kind: 'segment', ...choiceOf(entity), value: value === true });
  }
  return { ...flag, enabled, rollouts: [...inFront, ...rollouts] };
}

function variantOverridden(flag: VariantFlagRecord, overrides: Overrides, choiceOf: ChoiceOf, stamp: Stamp) {
  const variants = new Map(flag.variants);
  const idOf = (value: OverrideValue): string => {
    const variant = chosenVariant(variants, value);
    if (variant === undefined || 'id' in variant) return variant?.id ?? '';
    const made = { ...newIdentity(stamp), ...variant, name: variant.key, description: '' };
    variants.set(made.id, made);
    return made.id;
  };
  // `rules` and `defaultVariantId` apply to entities without an override of their own. If the flag is disabled, the
  // overridden flag gives no variant to entities without an override, not even the default variant.
  let rules = rulesInForce(flag);
  let defaultVariantId = flag.enabled ? flag.defaultVariantId : undefined;
  const inFront = overrides.flatMap(({ entity, value }) => {
    const variantId = idOf(value);
    if (entity === undefined) {
      [rules, defaultVariantId] = [[], variantId];
      return [];
    }
    const distributions = [{ ...newIdentity(stamp), variantId, rollout: 100 }];
    return { ...newIdentity(stamp), ...choiceOf(entity), distributions };
  });
  const ranked = [...inFront, ...rules].map((rule, at) => ({ ...rule, rank: at + 1 }));
  return { ...flag, enabled: true, variants, rules: ranked, defaultVariantId };
}
