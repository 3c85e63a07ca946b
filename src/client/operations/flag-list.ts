import type { IterateOptions, ListPage, PageOptions } from './call-options.js';
import type { Variant } from './flag-parts.js';

/** Whether a flag answers with one of its variants, or with true or false. */
export type FlagType = 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE';

/** A flag with its variants, and without its rules and rollouts. */
export interface Flag {
  /** The key of its namespace. */
  readonly namespaceKey: string;
  /** Unique in its namespace. */
  readonly key: string;
  /** For people. */
  readonly name: string;
  /** For people; `''` if there is none. */
  readonly description: string;
  /** Whether it is enabled. A boolean flag has this value if no rollout applies (Flipt's rule). */
  readonly enabled: boolean;
  /** Whether it answers with a variant, or with true or false. A number without a name is kept as it is. */
  readonly type: FlagType | number;
  /** In the order of their creation. */
  readonly variants: readonly Variant[];
  /** What it answers with if no rule matches; `undefined` if it has none. */
  readonly defaultVariant?: Variant | undefined;
  /** What people and tools have noted about it; empty if there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A page of a namespace's flags. */
export interface FlagPage extends ListPage {
  /** In the order of their creation. */
  readonly flags: readonly Flag[];
}

/** The flags of a namespace; Flipt v1 only. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface FlagOperations {
  /** One page of flags, in the order of their creation; empty if there is no such namespace. */
  list(namespace: string, page?: PageOptions): Promise<FlagPage>;
  /**
   * All flags, page by page.
   *
   * @example
   * ```ts
   * for await (const { key, description } of client.flags.iterate('default')) console.log(key, description);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Flag, void, undefined>;
}
