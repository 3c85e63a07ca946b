import type { CallOptions, IterateOptions, ListPage, PageOptions } from './call-options.js';

/** Whether an entity must meet all constraints of a segment or any of them to be in the segment. */
export type MatchType = 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE';

/** The type of the values that a constraint compares. A later version of Flipt might have more types. */
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
  /** The id that Flipt has given to the constraint. */
  readonly id: string;
  /** The key of the segment's namespace. */
  readonly namespaceKey: string;
  /** The key of the segment that the constraint belongs to. */
  readonly segmentKey: string;
  /**
   * The type to which Flipt converts two values before it compares them: the value in the context, and the value of the
   * constraint. If one of the two values cannot be converted to this type, the constraint does not match (Flipt's
   * rule).
   */
  readonly type: ComparisonType;
  /**
   * The name of the member of the context that Flipt compares. For a constraint on the entity's id, the property is
   * `entityId`.
   */
  readonly property: string;
  /**
   * How the values are compared, such as `eq`, `isoneof` or `present`. The type of the constraint decides which
   * operators are possible.
   */
  readonly operator: string;
  /**
   * The text to compare with. For the operators `isoneof` and `isnotoneof`, the text is a JSON array. For operators
   * that need no value, the text is `''`.
   */
  readonly value: string;
  /** A description for people to read. It is `''` if there is no description. */
  readonly description: string;
  /** When the constraint was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the constraint was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** A group of entities that rules and rollouts refer to. */
export interface Segment {
  /** The key of the segment's namespace. */
  readonly namespaceKey: string;
  /** The key of the segment, which is unique in its namespace. Rules and rollouts refer to the segment by this key. */
  readonly key: string;
  /** A name for people to read. */
  readonly name: string;
  /** A description for people to read. It is `''` if there is no description. */
  readonly description: string;
  /** When the segment was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the segment was last changed, in ISO 8601. */
  readonly updatedAt: string;
  /** The constraints of the segment. A segment without constraints contains every entity (Flipt's rule). */
  readonly constraints: readonly Constraint[];
  /**
   * Whether an entity must meet all constraints of the segment or any of them. If Flipt sends a number for which there
   * is no name, the value is that number.
   */
  readonly matchType: MatchType | number;
}

/** A new segment, without constraints. */
export interface NewSegment {
  /** The key of the segment, which can contain only ASCII letters, digits, `-`, `_` and `,` (Flipt's rule). */
  readonly key: string;
  /** A name for people to read. The name must not be empty (Flipt's rule). */
  readonly name: string;
  /** A description for people to read. Default `''`. */
  readonly description?: string | undefined;
  /** Whether an entity must meet all constraints of the segment or any of them. Default `ALL_MATCH_TYPE`. */
  readonly matchType?: MatchType | undefined;
}

/**
 * The new content of a segment. An update changes neither the key nor the constraints of the segment. If JavaScript
 * code leaves members out, Flipt empties the description, sets the match type to all constraints, and refuses a missing
 * name.
 */
export interface SegmentUpdate {
  /** A name for people to read. The name must not be empty (Flipt's rule). */
  readonly name: string;
  /** A description for people to read; with `''`, Flipt removes the description. */
  readonly description: string;
  /**
   * Whether an entity must meet all constraints of the segment or any of them. If Flipt sends a number for which there
   * is no name, the value is that number.
   */
  readonly matchType: MatchType | number;
}

/** A page of a namespace's segments. */
export interface SegmentPage extends ListPage {
  /** The segments, in the order of their creation. */
  readonly segments: readonly Segment[];
}

/** The options of {@link SegmentOperations.get}. */
export interface GetSegmentOptions extends CallOptions {
  /**
   * The revision to read, if Flipt's store has revisions. A Flipt whose store is a database has no revisions and
   * ignores this member. Default: none.
   */
  readonly reference?: string | undefined;
}

/**
 * Reads and changes the segments of a namespace. Only Flipt v1 offers these operations. Each request ends within
 * `http.timeoutMs` × (`http.retries` + 1).
 */
export interface SegmentOperations {
  /** Reads one page of segments, in the order of their creation. The page is empty if the namespace does not exist. */
  list(namespace: string, page?: PageOptions): Promise<SegmentPage>;
  /**
   * Iterates over all segments of a namespace, and requests each page only when its entries are needed.
   *
   * @example
   * ```ts
   * for await (const segment of client.segments.iterate('default')) console.log(segment.key);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Segment, void, undefined>;
  /** Reads one segment with its constraints. Rejects with `NOT_FOUND` if there is no such segment. */
  get(namespace: string, key: string, options?: GetSegmentOptions): Promise<Segment>;
  /**
   * Creates a segment without constraints. Rejects with `INVALID_ARGUMENT` if the namespace already has a segment with
   * this key, and with `NOT_FOUND` if there is no such namespace. The request is sent only once, even if it fails.
   */
  create(namespace: string, segment: NewSegment, options?: CallOptions): Promise<Segment>;
  /**
   * Replaces the segment's name, description and match type. Rejects with `NOT_FOUND` if there is no such segment. The
   * request is sent only once, even if it fails.
   */
  update(namespace: string, key: string, segment: SegmentUpdate, options?: CallOptions): Promise<Segment>;
}
