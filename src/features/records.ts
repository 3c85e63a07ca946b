import type * as Evaluated from '../engine/features.js';

/**
 * A clock and a source of ids. Functions take the clock and the source of ids as an argument, so that tests can use
 * fixed dates and ids.
 */
export interface Stamp {
  /** Returns the current time in milliseconds since the epoch. */
  readonly date: () => number;
  /** Returns a fresh UUID. */
  readonly id: () => string;
}

type Dated = Readonly<ReturnType<typeof newDates>>;

/**
 * A part of a namespace, such as a rule, that has an id and dates. The id is a UUID, except in features that are only
 * evaluated.
 */
export type Identified = Readonly<ReturnType<typeof newIdentity>>;

/**
 * Returns a clock and a source of ids for features that are only evaluated. Nobody sees the ids and dates of features
 * that are only evaluated, so the ids are plain numbers, which are faster to make than UUIDs.
 */
export function unseenStamp(): Stamp {
  let last = 0;
  return { date: () => 0, id: () => String(++last) };
}

/** Returns the current time in the format in which Flipt writes times (RFC 3339, in UTC). */
export function nowText({ date }: Pick<Stamp, 'date'>): string {
  return new Date(date()).toISOString();
}

/** Returns the dates of creation and update for a new part of a namespace, such as a rule. */
export function newDates(stamp: Stamp) {
  const now = nowText(stamp);
  return { createdAt: now, updatedAt: now };
}

/** Returns the id and the dates for a new part of a namespace, such as a rule. */
export function newIdentity(stamp: Stamp) {
  return { id: stamp.id(), ...newDates(stamp) };
}

/** The name and the description of a part are for people; evaluation ignores them. */
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

/** The parts that flags of both types can have. The variants and rules of a boolean flag have no effect. */
interface RecordedParts extends Described, Dated {
  /** The flag's metadata as JSON text, or `undefined` if the flag has no metadata. Evaluation ignores metadata. */
  readonly metadata?: string | undefined;
  /** The flag's variants by their ids. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<Evaluated.VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & Evaluated.BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

/**
 * The flags and segments of a namespace, as evaluation reads them, with additional members such as names and ids for
 * people and for Flipt's management API.
 */
export interface NamespaceRecord extends Evaluated.Features, Described {
  readonly key: string;
  /**
   * A text that changes with every write to the namespace, or `undefined` if nothing was ever written to the namespace.
   */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** The segments by their keys, in the order in which they were created. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}
