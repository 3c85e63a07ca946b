import type { CallOptions } from './call-options.js';

/** A variant of a flag. */
export interface Variant {
  /** The service's own; {@link Distribution.variantId} names it. */
  readonly id: string;
  /** The key of the flag's namespace. */
  readonly namespaceKey: string;
  /** The key of the flag that it belongs to. */
  readonly flagKey: string;
  /** Unique in its flag; answers have it as {@link VariantResponse.variantKey}. */
  readonly key: string;
  /** For people; `''` if there is none. */
  readonly name: string;
  /** For people; `''` if there is none. */
  readonly description: string;
  /** Compact JSON text; `''` if there is none. */
  readonly attachment: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** The whole new content of a variant. What is left out is emptied (Flipt's rule). */
export interface VariantUpdate {
  /** Not empty and unique in its flag (Flipt's rule). */
  readonly key: string;
  /** For people. Default `''`. */
  readonly name?: string | undefined;
  /** For people. Default `''`. */
  readonly description?: string | undefined;
  /** Any JSON text, up to 1,000 KB (Flipt's rule). Default `''`: none. */
  readonly attachment?: string | undefined;
}

/** The variants of a flag; Flipt v1 only. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface VariantOperations {
  /**
   * Replaces a variant's content; `NOT_FOUND` if the flag has no variant with this `id`, `INVALID_ARGUMENT` if another
   * variant has the key. The distributions of a flag's rules have the ids of its variants. Sent once.
   *
   * @example
   * ```ts
   * const { rules } = await client.rules.list('default', 'banner');
   * const id = rules[0]?.distributions[0]?.variantId ?? '';
   * const attachment = JSON.stringify({ color: 'red' });
   * await client.variants.update('default', 'banner', id, { key: 'red', name: 'Red', attachment });
   * ```
   */
  update(
    namespace: string,
    flag: string,
    id: string,
    variant: VariantUpdate,
    options?: CallOptions,
  ): Promise<Variant>;
}
