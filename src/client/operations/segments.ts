import type { CallOptions, IterateOptions, ListPage, PageOptions } from './call-options.js';

/** Says whether a segment contains the entities that meet all of its constraints, or those that meet any of them. */
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

/** A condition of a segment, which compares one attribute of the context with a value. */
export interface Constraint {
  /** The id that Flipt has given to the constraint. */
  readonly id: string;
  /** The key of the segment's namespace. */
  readonly namespaceKey: string;
  /** The key of the segment that the constraint belongs to. */
  readonly segmentKey: string;
  /**
   * The type to which Flipt converts the attribute's value and the constraint's value before it compares them. If Flipt
   * cannot convert the attribute's value or the constraint's value to this type, the constraint does not match, unless
   * its operator compares no value.
   */
  readonly type: ComparisonType;
  /** The name of the attribute that Flipt compares. For a constraint on the entity's id, the property is `entityId`. */
  readonly property: string;
  /**
   * The operator with which Flipt compares the attribute, such as `eq`, `isoneof` or `present`. The type of the
   * constraint decides which operators are possible.
   */
  readonly operator: string;
  /**
   * The value with which Flipt compares the attribute, as text. For the operators `isoneof` and `isnotoneof`, the text
   * is a JSON array. For operators that need no value, the text is `''`.
   */
  readonly value: string;
  /** The description, for people to read. Without a description, this text is `''`. */
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
  /** The name of the segment, for people to read. */
  readonly name: string;
  /** The description, for people to read. Without a description, this text is `''`. */
  readonly description: string;
  /** When the segment was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the segment was last changed, in ISO 8601. */
  readonly updatedAt: string;
  /** The constraints of the segment. A segment without constraints contains every entity. */
  readonly constraints: readonly Constraint[];
  /**
   * Whether an entity must meet all constraints of the segment or any of them. If Flipt sends a number that stands for
   * neither match type, `matchType` is that number.
   */
  readonly matchType: MatchType | number;
}

/** The content of a new segment, which has no constraints yet. */
export interface NewSegment {
  /** The key of the segment. Flipt accepts only ASCII letters, digits, `-`, `_` and `,` in the key. */
  readonly key: string;
  /** The name of the segment, for people to read. Flipt refuses an empty name. */
  readonly name: string;
  /** The description of the segment, for people to read. Default `''`. */
  readonly description?: string | undefined;
  /** Whether an entity must meet all constraints of the segment or any of them. Default `ALL_MATCH_TYPE`. */
  readonly matchType?: MatchType | undefined;
}

/**
 * The new content of a segment. An update changes neither the key nor the constraints of the segment. If JavaScript
 * code leaves out the description or the match type, Flipt empties the description, or sets the match type to
 * `ALL_MATCH_TYPE`. Flipt refuses an update without a name.
 */
export interface SegmentUpdate {
  /** The name of the segment, for people to read. Flipt refuses an empty name. */
  readonly name: string;
  /** The description of the segment, for people to read. With `''`, Flipt removes the description. */
  readonly description: string;
  /**
   * Whether an entity must meet all constraints of the segment or any of them. You can also send back a number that
   * Flipt has sent in place of a match type.
   */
  readonly matchType: MatchType | number;
}

/** One page of the list of a namespace's segments. */
export interface SegmentPage extends ListPage {
  /** The segments of the page, in the order of their creation. */
  readonly segments: readonly Segment[];
}

/** The options of {@link SegmentOperations.get}. */
export interface GetSegmentOptions extends CallOptions {
  /**
   * The revision from which Flipt reads the segment, if Flipt's store has revisions. A Flipt with a database has no
   * revisions, and ignores this member. Default: none.
   */
  readonly reference?: string | undefined;
}

/**
 * Reads and changes the segments of a namespace. Only Flipt v1 offers these operations. Each request ends within
 * `http.timeoutMs` × (`http.retries` + 1) milliseconds.
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
  /** Reads one segment with its constraints. Rejects with `NOT_FOUND` if the segment does not exist. */
  get(namespace: string, key: string, options?: GetSegmentOptions): Promise<Segment>;
  /**
   * Creates a segment without constraints. Rejects with `INVALID_ARGUMENT` if the namespace already has a segment with
   * this key, and with `NOT_FOUND` if the namespace does not exist. The client sends the request only once, even if the
   * request fails.
   */
  create(namespace: string, segment: NewSegment, options?: CallOptions): Promise<Segment>;
  /**
   * Replaces the segment's name, description and match type. Rejects with `NOT_FOUND` if the segment does not exist.
   * The client sends the request only once, even if the request fails.
   */
  update(namespace: string, key: string, segment: SegmentUpdate, options?: CallOptions): Promise<Segment>;
}
