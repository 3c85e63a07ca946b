import type { IterateOptions, ListPage, PageOptions } from './call-options.js';
import type { Variant } from './flag-parts.js';

/** The type of a flag. A variant flag gives one of its variants, and a boolean flag gives true or false. */
export type FlagType = 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE';

/** A flag of Flipt with its variants, but without its rules and rollouts. */
export interface Flag {
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag, which is unique in its namespace. */
  readonly key: string;
  /** The name of the flag, for people to read. */
  readonly name: string;
  /** The description of the flag, for people to read. A flag without a description has `''`. */
  readonly description: string;
  /**
   * Whether the flag is enabled in Flipt. For a boolean flag, `enabled` is also the value that Flipt gives if no
   * rollout applies.
   */
  readonly enabled: boolean;
  /**
   * Whether the flag is a variant flag or a boolean flag. If Flipt sends a number that stands for neither type, `type`
   * is that number.
   */
  readonly type: FlagType | number;
  /** The variants of the flag, in the order of their creation. */
  readonly variants: readonly Variant[];
  /** The variant that the flag gives if no rule matches, or `undefined` if the flag has no default variant. */
  readonly defaultVariant?: Variant | undefined;
  /** The metadata that people and tools have given to the flag. A flag without metadata has an empty object. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When the flag was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the flag was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** One page of the list of a namespace's flags. */
export interface FlagPage extends ListPage {
  /** The flags of the page, in the order of their creation. */
  readonly flags: readonly Flag[];
}

/**
 * Lists the flags of a namespace. Only Flipt v1 offers these operations. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1) milliseconds.
 */
export interface FlagOperations {
  /** Reads one page of flags, in the order of their creation. The page is empty if the namespace does not exist. */
  list(namespace: string, page?: PageOptions): Promise<FlagPage>;
  /**
   * Iterates over all flags of a namespace, and requests each page only when its entries are needed.
   *
   * @example
   * ```ts
   * for await (const { key, description } of client.flags.iterate('default')) console.log(key, description);
   * ```
   */
  iterate(namespace: string, options?: IterateOptions): AsyncGenerator<Flag, void, undefined>;
}
