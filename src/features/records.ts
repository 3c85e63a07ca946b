import type * as Evaluated from '../engine/features.js';

/**
 * The clock and the source of ids. Both are passed as an argument, so that tests can make the dates and ids the same in
 * each run.
 */
export interface Stamp {
  /** Returns the current time in milliseconds since the epoch. */
  readonly date: () => number;
  /** Returns a fresh UUID. */
  readonly id: () => string;
}

type Dated = Readonly<ReturnType<typeof newDates>>;

/** A part with an id and dates. The id is a UUID, except in features that are only evaluated. */
export type Identified = Readonly<ReturnType<typeof newIdentity>>;

/**
 * Returns a stamp for features that are only evaluated. Nobody sees the ids and dates of such features, so the stamp
 * makes no UUIDs, which would take time.
 */
export function unseenStamp(): Stamp {
  let last = 0;
  return { date: () => 0, id: () => String(++last) };
}

/** Returns the current time in the form in which the service writes times: in the format of RFC 3339, in UTC. */
export function nowText({ date }: Pick<Stamp, 'date'>): string {
  return new Date(date()).toISOString();
}

/** Returns the dates of creation and update for a part that is new. */
export function newDates(stamp: Stamp) {
  const now = nowText(stamp);
  return { createdAt: now, updatedAt: now };
}

/** Returns the id and the dates for a part that is new. */
export function newIdentity(stamp: Stamp) {
  return { id: stamp.id(), ...newDates(stamp) };
}

/** Texts for people, which evaluation does not read. */
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

/** Flags of both types can have variants and rules, but the variants and rules of a boolean flag have no effect. */
interface RecordedParts extends Described, Dated {
  /**
   * The JSON text of the flag's metadata, which evaluation does not read. It is `undefined` if the flag has no
   * metadata.
   */
  readonly metadata?: string | undefined;
  /** The flag's variants by their ids. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<Evaluated.VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & Evaluated.BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

/**
 * The features of a namespace in the form in which evaluation reads them, with additional members for people and for
 * Flipt's management API.
 */
export interface NamespaceRecord extends Evaluated.Features, Described {
  readonly key: string;
  /** A text that changes with every write to the namespace. It is `undefined` if the namespace was never written. */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** The segments by their keys, in the order in which they were created. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}
