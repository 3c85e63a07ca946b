import type {
  BooleanFlag,
  Constraint,
  Distribution,
  Features,
  Rule,
  Segment,
  Variant,
  VariantFlag,
} from '../../engine/features.js';

/** What the keys of namespaces, flags and segments consist of. */
export const KEY_SYNTAX = /^[-_,A-Za-z0-9]+$/;

/**
 * What the service holds. All of it is immutable. A change makes a new {@link State} that shares the unchanged parts,
 * so a change that could not be saved needs no undo.
 */
export interface State {
  readonly namespaces: ReadonlyMap<string, NamespaceRecord>;
  /** By id. */
  readonly tokens: ReadonlyMap<string, TokenRecord>;
}

interface Dated {
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface Identified extends Dated {
  /** A UUID. */
  readonly id: string;
}

interface Described {
  readonly name: string;
  readonly description: string;
}

export interface ConstraintRecord extends Constraint, Identified {
  readonly description: string;
}

export interface SegmentRecord extends Segment, Described, Dated {
  readonly constraints: readonly ConstraintRecord[];
}

export interface VariantRecord extends Variant, Described, Identified {}

export interface DistributionRecord extends Distribution, Identified {}

export interface RuleRecord extends Rule, Identified {
  readonly rank: number;
  readonly distributions: readonly DistributionRecord[];
}

/** Flags of both types may have variants and rules. Those of a boolean flag have no effect. */
interface Targeted extends Described, Dated {
  readonly variants: ReadonlyMap<string, VariantRecord>;
  readonly rules: readonly RuleRecord[];
}

export interface VariantFlagRecord extends VariantFlag, Targeted {
  readonly variants: Targeted['variants'];
  readonly rules: Targeted['rules'];
}

export interface BooleanFlagRecord extends BooleanFlag, Targeted {}

export type FlagRecord = VariantFlagRecord | BooleanFlagRecord;

export interface NamespaceRecord extends Features, Described {
  readonly key: string;
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

/** What differs between two runs. It is an argument, so that tests can fix it. */
export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly date: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
}
