import type { CallOptions } from './call-options.js';

/** One flag to evaluate for one entity. */
export interface EvaluationRequest {
  /** The flag's key. If there is no such flag, the answer is an {@link ErrorResponse}. */
  readonly flagKey: string;
  /** The id of the entity, such as a user. Percentage rollouts and distributions depend on this id. Default `''`. */
  readonly entityId?: string | undefined;
  /** The key of the flag's namespace. Default `default` (Flipt's rule). */
  readonly namespaceKey?: string | undefined;
  /**
   * The attributes that constraints compare. All values must be strings. A missing attribute is compared as `''`
   * (Flipt's rule). Default: none.
   */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** An id that the answer to this request repeats. Default `''`. */
  readonly requestId?: string | undefined;
  /**
   * The revision to evaluate, if Flipt's store has revisions. A Flipt whose store is a database has no revisions and
   * ignores this member. Default: none.
   */
  readonly reference?: string | undefined;
}

/** The service's answer to a batch. */
export interface EvaluationBatch {
  /** The {@link EvaluateOptions.requestId}, or else a UUID that Flipt has made. */
  readonly requestId: string;
  /** One answer for each request, in the order of the requests. */
  readonly responses: readonly EvaluationResponse[];
  /** How long Flipt took, in milliseconds with a fraction. */
  readonly requestDurationMillis: number;
}

/** The answer to one request. The member `type` says which of the three other members is present. */
export type EvaluationResponse =
  | {
      /** The flag is a variant flag. */
      readonly type: 'VARIANT_EVALUATION_RESPONSE_TYPE';
      /** The answer about the variant flag. */
      readonly variantResponse: VariantResponse;
      /** This member is absent. */
      readonly booleanResponse?: undefined;
      /** This member is absent. */
      readonly errorResponse?: undefined;
    }
  | {
      /** The flag is a boolean flag. */
      readonly type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE';
      /** The answer about the boolean flag. */
      readonly booleanResponse: BooleanResponse;
      /** This member is absent. */
      readonly variantResponse?: undefined;
      /** This member is absent. */
      readonly errorResponse?: undefined;
    }
  | {
      /** Flipt could not answer the request. */
      readonly type: 'ERROR_EVALUATION_RESPONSE_TYPE';
      /** The reason why there is no answer, and the keys in the request. */
      readonly errorResponse: ErrorResponse;
      /** This member is absent. */
      readonly variantResponse?: undefined;
      /** This member is absent. */
      readonly booleanResponse?: undefined;
    };

/** The kind of flag, or an error. */
export type EvaluationResponseType = EvaluationResponse['type'];

/**
 * Flipt's reason for an answer. `MATCH` means that a rule or rollout matched, `DEFAULT` that none matched and the flag
 * has a default, `UNKNOWN` that none matched and the flag has no default variant, which is no error, and
 * `FLAG_DISABLED` that the flag is disabled. A later version of Flipt might have more reasons.
 */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/**
 * Flipt's reason for an error. `NOT_FOUND` means that there is no such flag or namespace, and `UNKNOWN` means any other
 * reason. A later version of Flipt might have more reasons.
 */
export type ErrorEvaluationReason =
  | 'UNKNOWN_ERROR_EVALUATION_REASON'
  | 'NOT_FOUND_ERROR_EVALUATION_REASON'
  | (string & {});

/** The members that answers about both kinds of flags share. */
export interface FlagResponse {
  /** The id of the request. It is `''` if the request has no id. */
  readonly requestId: string;
  /** The key of the flag. */
  readonly flagKey: string;
  /** Flipt's reason for the answer. */
  readonly reason: EvaluationReason;
  /** The keys of those segments of the matching rule or rollout that the entity is in, in no fixed order. */
  readonly segmentKeys: readonly string[];
  /** When Flipt evaluated the flag, in ISO 8601. The member is absent if Flipt did not send the time. */
  readonly timestamp?: string | undefined;
  /** How long the evaluation took, in milliseconds with a fraction. */
  readonly requestDurationMillis: number;
}

/** The answer about a variant flag. */
export interface VariantResponse extends FlagResponse {
  /**
   * Whether a rule matched and its distributions, if any, include the entity. Even if `match` is `false`, the answer
   * can have a variant: the flag's default variant (Flipt's rule).
   */
  readonly match: boolean;
  /** The key of the variant. It is `''` if the answer has no variant. */
  readonly variantKey: string;
  /**
   * The attachment of the variant as JSON text. If the variant has no attachment, Flipt v1 sends `''`, and v2 sends the
   * text `null`.
   */
  readonly variantAttachment: string;
}

/** The answer about a boolean flag. */
export interface BooleanResponse extends FlagResponse {
  /** The flag's value, whatever the reason (Flipt's rule). */
  readonly enabled: boolean;
}

/** What the batch contains in place of an answer to a request that Flipt could not answer. */
export interface ErrorResponse {
  /** The flag's key in the request. */
  readonly flagKey: string;
  /** The namespace's key in the request. It is `''` if the request names no namespace. */
  readonly namespaceKey: string;
  /** Why there is no answer. */
  readonly reason: ErrorEvaluationReason;
}

/** How a batch is evaluated; each member applies to the whole batch. */
export interface EvaluateOptions extends CallOptions {
  /** The revision to evaluate, if Flipt's store has revisions. Default: the client's option `reference`. */
  readonly reference?: string | undefined;
  /** An id that the answer repeats. Default: Flipt generates one. */
  readonly requestId?: string | undefined;
  /** The environment to evaluate in (Flipt v2). Default: the client's option `environment`. */
  readonly environment?: string | undefined;
}

/**
 * Evaluates flags. Flipt v1 and v2 both offer this operation. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1).
 */
export interface EvaluationOperations {
  /**
   * Evaluates flags. There is one answer for each request, in the same order. The answer about a flag or namespace that
   * does not exist is an {@link ErrorResponse}. One wrong value, such as a number in a `context`, makes the whole batch
   * reject with `INVALID_ARGUMENT`. An unknown environment makes the whole batch reject with `NOT_FOUND`.
   *
   * @example
   * ```ts
   * const { responses } = await client.evaluation.batch([
   *   { namespaceKey: 'default', flagKey: 'banner', entityId: 'user-1', context: { plan: 'pro' } },
   * ]);
   * ```
   */
  batch(requests: readonly EvaluationRequest[], options?: EvaluateOptions): Promise<EvaluationBatch>;
}
