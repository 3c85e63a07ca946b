import type { CallOptions, IterateOptions, ListPage, PageOptions } from './call-options.js';

/** Whether an entity must meet all constraints of a segment to be in it, or any of them. */
export type MatchType = 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE';

/** The type that a constraint compares as. A later service may have more. */
export type ComparisonType =
  | 'UNKNOWN_COMPARISON_TYPE'
  | 'STRING_COMPARISON_TYPE'
  | 'NUMBER_COMPARISON_TYPE'
  | 'BOOLEAN_COMPARISON_TYPE'
  | 'DATETIME_COMPARISON_TYPE'
  | 'ENTITY_ID_COMPARISON_TYPE'
  | (string & {});

/** Compares one property of an evaluation's context. */
export interface Constraint {
  /** The service's own. */
  readonly id: string;
  /** The key of the segment's namespace. */
  readonly namespaceKey: string;
  /** The key of the segment that it belongs to. */
  readonly segmentKey: string;
  /** The type that both sides are read as. If one cannot be, the constraint does not match (Flipt's rule). */
  readonly type: ComparisonType;
  /** The member of the context to compare; `entityId` for the entity's id. */
  readonly property: string;
  /** Such as `eq`, `isoneof` or `present`; it depends on the type. */
  readonly operator: string;
  /** What to compare with, as text; a JSON array for `isoneof` and `isnotoneof`, `''` if the operator needs none. */
  readonly value: string;
  /** For people; `''` if there is none. */
  readonly description: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A group of entities that rules and rollouts refer to. */
export interface Segment {
  /** The key of its namespace. */
  readonly namespaceKey: string;
  /** Unique in its namespace; rules and rollouts refer to it. */
  readonly key: string;
  /** For people. */
  readonly name: string;
  /** For people; `''` if there is none. */
  readonly description: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Without any, every entity is in the segment (Flipt's rule). */
  readonly constraints: readonly Constraint[];
  /** Whether an entity must meet all constraints or any of them. A number without a name is kept as it is. */
  readonly matchType: MatchType | number;
}

/** A new segment, without constraints. */
export interface NewSegment {
  /** ASCII letters, digits, `-`, `_` and `,` (Flipt's rule). */
  readonly key: string;
  /** For people; not empty (Flipt's rule). */
  readonly name: string;
  /** For people. Default `''`. */
  readonly description?: string | undefined;
  /** Whether an entity must meet all constraints or any of them. Default `ALL_MATCH_TYPE`. */
  readonly matchType?: MatchType | undefined;
}

/**
 * What an update replaces; key and constraints stay. Of what JavaScript leaves out, Flipt empties the description, sets
 * the match type to all constraints, and refuses a missing name.
 */
export interface SegmentUpdate {
  /** For people; not empty (Flipt's rule). */
  readonly name: string;
  /** For people; `''` empties it. */
  readonly description: string;
  /** Whether an entity must meet all constraints or any of them. A number without a name is kept as it is. */
  readonly matchType: MatchType | number;
}

/** A page of a namespace's segments. */
export interface SegmentPage extends ListPage {
  /** In the order of their creation. */
  readonly segments: readonly Segment[];
}

/** How a segment is read. */
export interface GetSegmentOptions extends CallOptions {
  /** The revision to read, if the service's store has revisions; a database ignores it. */
  readonly reference?: string | undefined;
}

/** The segments of a namespace; Flipt v1 only. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface SegmentOperations {
  /** One page of segments, in the order of their creation; empty if there is no such namespace. */
  list(namespace: string, page?: PageOptions): Promise<SegmentPage>;
  /**
   * All segments, page by page.
   *
   * @example
   * ```ts
   * for await (const segment of client.segments.iterate('default')) console.log(segment.key);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Segment, void, undefined>;
  /** One segment with its constraints; `NOT_FOUND` if there is none. */
  get(namespace: string, key: string, options?: GetSegmentOptions): Promise<Segment>;
  /**
   * Creates a segment without constraints; `INVALID_ARGUMENT` if the key is taken, `NOT_FOUND` if there is no such
   * namespace. Sent once.
   */
  create(namespace: string, segment: NewSegment, options?: CallOptions): Promise<Segment>;
  /** Replaces name, description and match type; `NOT_FOUND` if there is no such segment. Sent once. */
  update(namespace: string, key: string, segment: SegmentUpdate, options?: CallOptions): Promise<Segment>;
}
