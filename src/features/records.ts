import type * as Evaluated from '../engine/features.js';

/** What differs between two runs. It is an argument, so that tests can fix it. */
export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly date: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
}

type Dated = Readonly<ReturnType<typeof newDates>>;

/** Its id is a UUID. */
export type Identified = Readonly<ReturnType<typeof newIdentity>>;

/** For features that are only evaluated: nobody sees their ids and dates, and UUIDs take time. */
export function unseenStamp(): Stamp {
  let last = 0;
  return { date: () => 0, id: () => String(++last) };
}

/** The date as the service writes it: RFC 3339, UTC. */
export function nowText({ date }: Pick<Stamp, 'date'>): string {
  return new Date(date()).toISOString();
}

/** The dates of something new. */
export function newDates(stamp: Stamp) {
  const now = nowText(stamp);
  return { createdAt: now, updatedAt: now };
}

/** The id and the dates of something new. */
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
  /** By id. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<Evaluated.VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & Evaluated.BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

/** A namespace's features as evaluation reads them, with what people and Flipt's management see beside that. */
export interface NamespaceRecord extends Evaluated.Features, Described {
  readonly key: string;
  /** Differs after every write; `undefined` if nothing was ever written. */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** In order of creation. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}
