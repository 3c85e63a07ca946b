import type { IterateOptions, ListPage, PageOptions } from './call-options.js';
import type { Variant } from './flag-parts.js';

/** Whether a flag answers with one of its variants, or with true or false. */
export type FlagType = 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE';

/** A flag with its variants, and without its rules and rollouts. */
export interface Flag {
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag, which is unique in its namespace. */
  readonly key: string;
  /** A name for people to read. */
  readonly name: string;
  /** A description for people to read; `''` if there is none. */
  readonly description: string;
  /** Whether the flag is enabled. For a boolean flag, this is also its value if no rollout applies (Flipt's rule). */
  readonly enabled: boolean;
  /**
   * Whether the flag answers with a variant, or with true or false. If Flipt sends a number that has no name, it
   * stays a number.
   */
  readonly type: FlagType | number;
  /** The variants, in the order of their creation. */
  readonly variants: readonly Variant[];
  /** The variant that the flag answers with if no rule matches; `undefined` if it has none. */
  readonly defaultVariant?: Variant | undefined;
  /** What people and tools have noted about the flag; an empty object if there is nothing. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it was created, in ISO 8601. */
  readonly createdAt: string;
  /** When it was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** A page of a namespace's flags. */
export interface FlagPage extends ListPage {
  /** The flags, in the order of their creation. */
  readonly flags: readonly Flag[];
}

/**
 * Lists the flags of a namespace. Only Flipt v1 offers this. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1).
 */
export interface FlagOperations {
  /** Reads one page of flags, in the order of their creation. The page is empty if there is no such namespace. */
  list(namespace: string, page?: PageOptions): Promise<FlagPage>;
  /**
   * Iterates over all flags of a namespace, and requests each page when it is needed.
   *
   * @example
   * ```ts
   * for await (const { key, description } of client.flags.iterate('default')) console.log(key, description);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Flag, void, undefined>;
}
