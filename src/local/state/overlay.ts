import type { SegmentChoice } from '../../engine/features.js';
import { canGive, chosenVariant, freeKeys, type OverrideValue } from './override-value.js';
import type {
  BooleanFlagRecord,
  FlagRecord,
  NamespaceRecord,
  RuleRecord,
  SegmentRecord,
  Stamp,
  VariantFlagRecord,
} from './records.js';

/** The value that a flag resolves to, whatever its rules say. */
export interface Override {
  readonly flagKey: string;
  /** The only entity that gets the value; `undefined`: all entities. */
  readonly entity: string | undefined;
  readonly value: OverrideValue;
}

/**
 * A namespace with its overrides added: a segment for each entity, rules and rollouts that use these segments, and new
 * values for everybody else. Because they are added here, evaluation, snapshots and explanations agree and need not
 * know about overrides. An override has no effect if its flag does not exist, or can no longer give its value.
 */
export function overlaid(
  namespace: NamespaceRecord,
  overrides: readonly Override[],
  stamp: Stamp,
): NamespaceRecord {
  const flags = new Map(namespace.flags);
  const segments = new Map(namespace.segments);
  const identity = () => ({ id: stamp.id(), ...dates(stamp) });
  const chosen = new Map<string, SegmentChoice>();
  const segmentKeys = freeKeys('override', namespace.segments);

  const choiceOf = (entity: string): SegmentChoice => {
    const known = chosen.get(entity);
    if (known !== undefined) return known;
    const segment = entitySegment(segmentKeys.next().value, entity, identity());
    segments.set(segment.key, segment);
    const choice = { segmentKeys: [segment.key], segmentOperator: 'OR_SEGMENT_OPERATOR' } as const;
    chosen.set(entity, choice);
    return choice;
  };

  for (const flag of namespace.flags.values()) {
    const its = overrides.filter(({ flagKey, value }) => flagKey === flag.key && canGive(flag, value));
    if (its.length > 0)
      flags.set(flag.key, { ...overridden(flag, its, choiceOf, identity), ...dates(stamp) });
  }
  return { ...namespace, flags, segments, version: stamp.id() };
}

type Identity = Readonly<Record<'id' | 'createdAt' | 'updatedAt', string>>;

function dates(stamp: Stamp): Omit<Identity, 'id'> {
  const now = new Date(stamp.date()).toISOString();
  return { createdAt: now, updatedAt: now };
}

function entitySegment(key: string, entity: string, identity: Identity): SegmentRecord {
  const { createdAt, updatedAt } = identity;
  const constraint = {
    ...identity,
    type: 'ENTITY_ID_COMPARISON_TYPE',
    property: 'entityId',
    operator: 'eq',
    value: entity,
    description: '',
  } as const;
  return {
    key,
    name: key,
    description: '',
    matchType: 'ALL_MATCH_TYPE',
    constraints: [constraint],
    createdAt,
    updatedAt,
  };
}

type ChoiceOf = (entity: string) => SegmentChoice;

function overridden(
  flag: FlagRecord,
  overrides: readonly Override[],
  choiceOf: ChoiceOf,
  identity: () => Identity,
): FlagRecord {
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? booleanOverridden(flag, overrides, choiceOf)
    : variantOverridden(flag, overrides, choiceOf, identity);
}

function booleanOverridden(
  flag: BooleanFlagRecord,
  overrides: readonly Override[],
  choiceOf: ChoiceOf,
): BooleanFlagRecord {
  let { enabled, rollouts } = flag;
  const rolloutsInFront: BooleanFlagRecord['rollouts'][number][] = [];
  for (const { entity, value } of overrides) {
    if (entity !== undefined) {
      rolloutsInFront.push({ kind: 'segment', ...choiceOf(entity), value: value === true });
    } else {
      enabled = value === true;
      rollouts = [];
    }
  }
  return { ...flag, enabled, rollouts: [...rolloutsInFront, ...rollouts] };
}

function variantOverridden(
  flag: VariantFlagRecord,
  overrides: readonly Override[],
  choiceOf: ChoiceOf,
  identity: () => Identity,
): VariantFlagRecord {
  const variants = new Map(flag.variants);
  // While a flag is disabled, neither its rules nor its default apply. That must stay so for entities without an
  // override.
  let { rules, defaultVariantId } = flag.enabled ? flag : { rules: [], defaultVariantId: undefined };
  const rulesInFront: RuleRecord[] = [];
  for (const { entity, value } of overrides) {
    const variantId = idOf({ ...flag, variants }, value);
    if (entity === undefined) {
      rules = [];
      defaultVariantId = variantId;
    } else {
      const distributions = [{ ...identity(), variantId, rollout: 100 }];
      rulesInFront.push({ ...identity(), ...choiceOf(entity), rank: 0, distributions });
    }
  }
  const ranked = [...rulesInFront, ...rules].map((rule, at) => ({ ...rule, rank: at + 1 }));
  return { ...flag, enabled: true, variants, rules: ranked, defaultVariantId };

  function idOf(of: VariantFlagRecord, value: OverrideValue): string {
    const variant = chosenVariant(of, value);
    if (variant?.id !== undefined) return variant.id;
    const { key = '', attachment = '' } = variant ?? {};
    const made = { ...identity(), key, name: key, description: '', attachment };
    variants.set(made.id, made);
    return made.id;
  }
}
