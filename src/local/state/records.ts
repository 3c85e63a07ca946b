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
 * What the service holds. All of it is immutable: a change makes a new {@link State} that shares the unchanged parts.
 * So a change that could not be saved needs no undoing.
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

/** Both types of flag may have variants and rules; a boolean flag's are without effect. */
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
  /** Another one after every write; undefined where nothing was ever written. */
  readonly version?: string | undefined;
  readonly flags: ReadonlyMap<string, FlagRecord>;
  /** In order of creation. */
  readonly segments: ReadonlyMap<string, SegmentRecord>;
}

export interface TokenRecord extends Identified {
  /** SHA-256 of the client token in hex: the token itself is kept nowhere. */
  readonly hash: string;
  /** The one namespace that the token may use; undefined for all of them. */
  readonly namespaceKey?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What makes records differ from run to run: an argument, so that tests can fix it. */
export interface Stamp {
  /** Milliseconds since the epoch. */
  readonly date: () => number;
  /** A fresh UUID. */
  readonly id: () => string;
}
