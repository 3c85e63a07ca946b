import type { BooleanFlag, Distribution, VariantFlag } from '../../engine/features.js';
import type {
  ManagedConstraint,
  ManagedFeatures,
  ManagedParts,
  ManagedSegment,
  ManagedVariant,
  RankedRule,
} from '../../features/managed-features.js';
import type { Dated, Identified } from './ids-and-dates.js';

/**
 * What the service holds. All of it is immutable. A change makes a new {@link State} that shares the unchanged parts,
 * so a change that could not be saved needs no undo.
 */
export interface State {
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  /** By id. */
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

export interface ConstraintRecord extends ManagedConstraint, Identified {}

export interface SegmentRecord extends ManagedSegment, Dated {
  readonly constraints: readonly ConstraintRecord[];
}

export interface VariantRecord extends ManagedVariant, Identified {}

export interface DistributionRecord extends Distribution, Identified {}

export interface RuleRecord extends RankedRule, Identified {
  readonly distributions: readonly DistributionRecord[];
}

interface RecordedParts extends ManagedParts, Dated {
  /** By id. */
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export type VariantFlagRecord = RecordedParts & Omit<VariantFlag, keyof RecordedParts>;
export type BooleanFlagRecord = RecordedParts & BooleanFlag;
export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

export interface NamespaceRecord extends ManagedFeatures {
  /** Differs after every write; `undefined` if nothing was ever written. */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** In order of creation. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}

export interface TokenRecord extends Identified {
  /** SHA-256 of the client token in hex. The token itself is not kept. */
  readonly hash: string;
  /** The only namespace that the token may use; `undefined` for all namespaces. */
  readonly namespaceKey?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}
