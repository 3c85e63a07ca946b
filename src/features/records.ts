import type * as Evaluated from '../engine/features.js';

/**
 * The clock and the source of ids, which differ between two runs. The clock and the ids are an argument, so that tests
 * can fix them.
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
 * Returns a stamp for features that are only evaluated. Nobody sees their ids and dates, so that they need no UUIDs,
 * which would take time.
 */
export function unseenStamp(): Stamp {
  let last = 0;
  return { date: () => 0, id: () => String(++last) };
}

/** Returns the current time as the service writes it: in RFC 3339, in UTC. */
export function nowText({ date }: Pick<Stamp, 'date'>): string {
  return new Date(date()).toISOString();
}

/** Returns the dates of something new. */
export function newDates(stamp: Stamp) {
  const now = nowText(stamp);
  return { createdAt: now, updatedAt: now };
}

/** Returns the id and the dates of something new. */
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

/** Flags of both types may have variants and rules. Those of a boolean flag have no effect. */
interface RecordedParts extends Described, Dated {
  /** The JSON text of the flag's metadata; `undefined` if it has none. Evaluation does not read it. */
  readonly metadata?: string | undefined;
  /** The flag's variants by their ids. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<Evaluated.VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & Evaluated.BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

/**
 * A namespace's features as evaluation reads them, together with what people and Flipt's management API see beside
 * that.
 */
export interface NamespaceRecord extends Evaluated.Features, Described {
  readonly key: string;
  /** A text that changes with every write; `undefined` if nothing was ever written. */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** The segments by their keys, in the order in which they were created. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}
