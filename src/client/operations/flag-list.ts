import type { IterateOptions, ListPage, PageOptions } from './call-options.js';
import type { Variant } from './flag-parts.js';

/** Whether a flag answers with one of its variants, or with true or false. */
export type FlagType = 'VARIANT_FLAG_TYPE' | 'BOOLEAN_FLAG_TYPE';

/** A flag with its variants, but without its rules and rollouts. */
export interface Flag {
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag, which is unique in its namespace. */
  readonly key: string;
  /** A name for people to read. */
  readonly name: string;
  /** A description for people to read. It is `''` if there is no description. */
  readonly description: string;
  /**
   * Whether the flag is enabled. For a boolean flag, `enabled` is also the value of the flag if no rollout applies
   * (Flipt's rule).
   */
  readonly enabled: boolean;
  /**
   * Whether the flag answers with a variant, or with true or false. If Flipt sends a number for which there is no name,
   * the value is that number.
   */
  readonly type: FlagType | number;
  /** The variants, in the order of their creation. */
  readonly variants: readonly Variant[];
  /**
   * The variant that the flag answers with if no rule matches. It is `undefined` if the flag has no default variant.
   */
  readonly defaultVariant?: Variant | undefined;
  /** The metadata that people and tools have given to the flag. It is an empty object if the flag has no metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When the flag was created, in ISO 8601. */
  readonly createdAt: string;
  /** When the flag was last changed, in ISO 8601. */
  readonly updatedAt: string;
}

/** A page of a namespace's flags. */
export interface FlagPage extends ListPage {
  /** The flags, in the order of their creation. */
  readonly flags: readonly Flag[];
}

/**
 * Lists the flags of a namespace. Only Flipt v1 offers these operations. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1).
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
