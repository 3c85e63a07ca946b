import { LIST_OPERATORS, OPERATORS_WITHOUT_VALUE } from '../engine/constraint-match.js';
import type * as Evaluated from '../engine/features.js';
import type { SegmentChoice, Semantics } from '../engine/features.js';
import { leavesSegmentsOut, ordersByRank } from '../engine/version-differences.js';
import { goJson, isReadableValue, rolloutPercentage, storedOperator } from './stored-values.js';
import type { CheckedDocument, CheckedFlag, CheckedSegment } from './schema.js';

/** Tests fix both. */
export interface Stamp {
  /** In milliseconds since the epoch. */
  readonly date: () => number;
  readonly id: () => string;
}

/** For features that are only evaluated: nobody sees ids and dates, and numbers are faster to make than UUIDs. */
export function unseenStamp(): Stamp {
  let last = 0;
  return { date: () => 0, id: () => String(++last) };
}

function newDates({ date }: Stamp) {
  const now = new Date(date()).toISOString();
  return { createdAt: now, updatedAt: now };
}

type Dated = Readonly<ReturnType<typeof newDates>>;
export type Identified = Dated & { readonly id: string };

/** For people; evaluation ignores both. */
interface Described {
  readonly name: string;
  readonly description: string;
}

export interface ConstraintRecord extends Evaluated.Constraint, Identified {
  readonly description: string;
}

export interface SegmentRecord extends Evaluated.Segment, Described, Dated {
  readonly constraints: readonly ConstraintRecord[];
}

export interface VariantRecord extends Evaluated.Variant, Described, Identified {}

interface DistributionRecord extends Evaluated.Distribution, Identified {}

export interface RuleRecord extends Evaluated.Rule, Identified {
  readonly rank: number;
  readonly distributions: readonly DistributionRecord[];
}

/** The variants and rules of a boolean flag have no effect. */
interface RecordedParts extends Described, Dated {
  /** As JSON text; evaluation ignores it. */
  readonly metadata?: string | undefined;
  /** By their ids. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<Evaluated.VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & Evaluated.BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

/** Also what people and Flipt's management API see. */
export interface NamespaceRecord extends Evaluated.Features, Described {
  readonly key: string;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** In the order of their creation. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}

/** Made once for a document, because formatting dates for each part would take most of the time. */
type Made = Pick<Stamp, 'id'> & Dated;

/** As Flipt stores them. References must be checked before. */
export function recordedFeatures(
  { namespace, flags, segments }: CheckedDocument,
  semantics: Semantics,
  stamp: Stamp,
): NamespaceRecord {
  const made: Made = { id: stamp.id, ...newDates(stamp) };
  const about = typeof namespace === 'string' ? { key: namespace, name: '', description: '' } : namespace;
  const records = byKey(segments.map((segment) => segmentRecord(segment, made)));
  const malformed = leavesSegmentsOut(semantics) ? malformedIn(records) : NONE;
  return {
    ...about,
    name: about.name || about.key,
    segments: records,
    flags: byKey(flags.map((flag) => flagRecord(flag, semantics, made, malformed))),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Flipt 2.11 leaves a segment out of all rules and rollouts if it cannot parse the value of a constraint. */
function malformedIn(segments: ReadonlyMap<string, SegmentRecord>): ReadonlySet<string> {
  const isMalformed = ({ type, operator, value }: ConstraintRecord): boolean => {
    if (OPERATORS_WITHOUT_VALUE.includes(operator)) return false;
    if (value === '' && !LIST_OPERATORS.includes(operator)) return false;
    return !isReadableValue(type, operator, value);
  };
  const malformed = Array.from(segments.values()).filter(({ constraints }) => constraints.some(isMalformed));
  return new Set(malformed.map(({ key }) => key));
}

function without<Choice extends SegmentChoice>(choice: Choice, malformed: ReadonlySet<string>): Choice {
  const leftOut = choice.segmentKeys.filter((key) => malformed.has(key));
  if (leftOut.length === 0) return choice;
  return { ...choice, segmentKeys: choice.segmentKeys.filter((key) => !malformed.has(key)), leftOut };
}

function byKey<Part extends { readonly key: string }>(parts: readonly Part[]): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [part.key, part]));
}

function flagRecord(
  written: CheckedFlag,
  semantics: Semantics,
  made: Made,
  malformed: ReadonlySet<string>,
): FlagRecord {
  const { key, name, description, enabled, type } = written;
  const { id, createdAt, updatedAt } = made;
  // Spreading would take several times as long.
  const variants = written.variants.map((variant) => ({
    id: id(),
    createdAt,
    updatedAt,
    key: variant.key,
    name: variant.name,
    description: variant.description,
    attachment: variant.attachment == null ? '' : (goJson(variant.attachment, semantics) ?? ''),
  }));
  const ids = new Map(variants.map((variant) => [variant.key, variant.id]));
  const rules = rankedRules(written.rules, semantics).map(({ rule, rank }) => {
    const { segmentKeys, segmentOperator } = rule;
    return {
      id: id(),
      createdAt,
      updatedAt,
      ...without({ segmentKeys, segmentOperator }, malformed),
      rank,
      distributions: rule.distributions.map(({ variant, rollout }) => ({
        id: id(),
        createdAt,
        updatedAt,
        variantId: ids.get(variant) ?? '',
        rollout: rolloutPercentage(rollout),
      })),
    };
  });
  const shared = {
    key,
    name,
    description,
    enabled,
    metadata: written.metadata == null ? undefined : goJson(written.metadata, 'v1'),
    variants: new Map(variants.map((variant) => [variant.id, variant])),
    rules,
    createdAt,
    updatedAt,
  };
  if (type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = written.rollouts.flatMap((rollout) => {
      if (rollout === undefined) return [];
      return rollout.kind === 'segment' ? without(rollout, malformed) : rollout;
    });
    return { ...shared, type, rollouts };
  }
  const byDefault = variants[written.variants.findLastIndex((variant) => variant.default)];
  return { ...shared, type, defaultVariantId: byDefault?.id };
}

/** In the order of evaluation; `index` is the position in the flag's list. */
export function rankedRules(rules: CheckedFlag['rules'], semantics: Semantics) {
  const rankOf = ({ rank }: CheckedFlag['rules'][number]) => (ordersByRank(semantics) ? rank : 0);
  const ranked = rules.map((rule, index) => ({ rule, index, rank: rankOf(rule) || index + 1 }));
  return ranked.sort((one, other) => one.rank - other.rank);
}

function segmentRecord(written: CheckedSegment, made: Made): SegmentRecord {
  const { key, name, description, match_type: matchType } = written;
  const { id, createdAt, updatedAt } = made;
  const constraints = written.constraints.map((constraint) => {
    const operator = storedOperator(constraint.operator);
    const value = typeof constraint.value === 'string' ? constraint.value : goJson(constraint.value, 'v1');
    const isUsed = !OPERATORS_WITHOUT_VALUE.includes(operator);
    return {
      id: id(),
      createdAt,
      updatedAt,
      type: constraint.type,
      property: constraint.property,
      operator,
      value: (isUsed && value) || '',
      description: constraint.description,
    };
  });
  return { key, name, description, matchType, constraints, createdAt, updatedAt };
}

/** Documents of one namespace add up; of parts with the same key, the last one counts. */
export function withDocument(before: NamespaceRecord | undefined, added: NamespaceRecord): NamespaceRecord {
  if (before === undefined) return added;
  return {
    ...added,
    segments: new Map([...before.segments, ...added.segments]),
    flags: new Map([...before.flags, ...added.flags]),
  };
}
