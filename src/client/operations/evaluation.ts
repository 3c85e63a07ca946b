import type { CallOptions } from './call-options.js';

/** Asks Flipt to evaluate one flag for one entity. */
export interface EvaluationRequest {
  /** The flag's key. If the flag does not exist, the answer is an {@link ErrorResponse}. */
  readonly flagKey: string;
  /**
   * The id of the entity, such as a user's id. Percentage rollouts and distributions depend on the entity's id. Default
   * `''`.
   */
  readonly entityId?: string | undefined;
  /** The key of the flag's namespace. Default `default`, which Flipt itself fills in. */
  readonly namespaceKey?: string | undefined;
  /**
   * The attributes that Flipt compares with constraints. All values of attributes must be strings. Flipt compares a
   * missing attribute as `''`. Default: none.
   */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** An id for this request, which Flipt repeats in the answer, but not in an {@link ErrorResponse}. Default `''`. */
  readonly requestId?: string | undefined;
  /**
   * The revision from which Flipt evaluates the flag, if Flipt's store has revisions. A Flipt with a database has no
   * revisions, and ignores this member. Default: none.
   */
  readonly reference?: string | undefined;
}

/** Flipt's answer to a batch of evaluations. */
export interface EvaluationBatch {
  /** The {@link EvaluateOptions.requestId} of the batch, or a UUID from Flipt if the batch had no id. */
  readonly requestId: string;
  /** The answers, one for each request of the batch, in the order of the requests. */
  readonly responses: readonly EvaluationResponse[];
  /** How long Flipt took for the batch, in milliseconds with a fraction. */
  readonly requestDurationMillis: number;
}

/** Flipt's answer to one request of a batch. The member `type` says which of the three other members is present. */
export type EvaluationResponse =
  | {
      /** This type means that the flag is a variant flag. */
      readonly type: 'VARIANT_EVALUATION_RESPONSE_TYPE';
      /** The result of evaluating the variant flag. */
      readonly variantResponse: VariantResponse;
      /** An answer about a variant flag has no `booleanResponse`. */
      readonly booleanResponse?: undefined;
      /** An answer about a variant flag has no `errorResponse`. */
      readonly errorResponse?: undefined;
    }
  | {
      /** This type means that the flag is a boolean flag. */
      readonly type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE';
      /** The result of evaluating the boolean flag. */
      readonly booleanResponse: BooleanResponse;
      /** An answer about a boolean flag has no `variantResponse`. */
      readonly variantResponse?: undefined;
      /** An answer about a boolean flag has no `errorResponse`. */
      readonly errorResponse?: undefined;
    }
  | {
      /** This type means that Flipt could not evaluate the flag. */
      readonly type: 'ERROR_EVALUATION_RESPONSE_TYPE';
      /** The reason why Flipt could not evaluate the flag, and the keys of the flag and of its namespace. */
      readonly errorResponse: ErrorResponse;
      /** An error has no `variantResponse`. */
      readonly variantResponse?: undefined;
      /** An error has no `booleanResponse`. */
      readonly booleanResponse?: undefined;
    };

/** Says which kind of flag an answer is about, or that the answer is an error. */
export type EvaluationResponseType = EvaluationResponse['type'];

/**
 * Flipt's reason for an answer. The following list leaves out the ending `_EVALUATION_REASON`. A later version of Flipt
 * might have more reasons than these.
 *
 * - `MATCH`: a rule or a rollout of the flag matched.
 * - `DEFAULT`: no rule or rollout decided the value, and the answer is the flag's default.
 * - `UNKNOWN`: no rule of a variant flag decided the value, and the flag has no default variant. The reason `UNKNOWN`
 *   is no error.
 * - `FLAG_DISABLED`: the flag is disabled in Flipt.
 */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/**
 * Flipt's reason for not evaluating a flag, here without the ending `_ERROR_EVALUATION_REASON`. `NOT_FOUND` means that
 * the flag or its namespace does not exist, and `UNKNOWN` means any other reason. A later version of Flipt might have
 * more reasons.
 */
export type ErrorEvaluationReason =
  | 'UNKNOWN_ERROR_EVALUATION_REASON'
  | 'NOT_FOUND_ERROR_EVALUATION_REASON'
  | (string & {});

/** The members that answers about variant flags and about boolean flags have in common. */
export interface FlagResponse {
  /** The id of the request, or `''` if the request has no id. */
  readonly requestId: string;
  /** The key of the flag that Flipt evaluated. */
  readonly flagKey: string;
  /** Flipt's reason for the answer. */
  readonly reason: EvaluationReason;
  /**
   * The keys of those segments of the matching rule or rollout that contain the entity. The keys are in no fixed order.
   */
  readonly segmentKeys: readonly string[];
  /** When Flipt evaluated the flag, in ISO 8601. This member is absent if Flipt did not send the time. */
  readonly timestamp?: string | undefined;
  /** How long the evaluation of the flag took, in milliseconds with a fraction. */
  readonly requestDurationMillis: number;
}

/** The result of evaluating a variant flag. */
export interface VariantResponse extends FlagResponse {
  /**
   * Is `true` if a rule matched and gave the entity a variant, or if a rule without distributions matched. Even if
   * `match` is `false`, the answer can have a variant: Flipt then gives the flag's default variant.
   */
  readonly match: boolean;
  /** The key of the variant, or `''` if the answer has no variant. */
  readonly variantKey: string;
  /**
   * The attachment of the variant as JSON text. If the variant has no attachment, Flipt v1 sends `''`, and v2 sends the
   * text `null`.
   */
  readonly variantAttachment: string;
}

/** The result of evaluating a boolean flag. */
export interface BooleanResponse extends FlagResponse {
  /** The value of the boolean flag, whatever `reason` says. */
  readonly enabled: boolean;
}

/** Says why Flipt could not evaluate the flag of one request. */
export interface ErrorResponse {
  /** The key of the flag in the request. */
  readonly flagKey: string;
  /** The key of the namespace in the request, or `''` if the request names no namespace. */
  readonly namespaceKey: string;
  /** The reason why Flipt could not evaluate the flag. */
  readonly reason: ErrorEvaluationReason;
}

/** The options of {@link EvaluationOperations.batch}, which apply to all requests of the batch. */
export interface EvaluateOptions extends CallOptions {
  /**
   * The revision from which Flipt evaluates the flags, if Flipt's store has revisions. Default: the client's option
   * `reference`.
   */
  readonly reference?: string | undefined;
  /** An id for the batch, which Flipt repeats in its answer. Default: a UUID that Flipt generates. */
  readonly requestId?: string | undefined;
  /** The environment of Flipt v2 in which the flags are evaluated. Default: the client's option `environment`. */
  readonly environment?: string | undefined;
}

/**
 * Evaluates flags. Both Flipt v1 and Flipt v2 offer this operation. Each request ends within `http.timeoutMs` ×
 * (`http.retries` + 1) milliseconds.
 */
export interface EvaluationOperations {
  /**
   * Evaluates flags. The result has one answer for each request, in the order of the requests. If a flag or its
   * namespace does not exist, the answer is an {@link ErrorResponse}. If a request has a wrong value, such as a number
   * in its `context`, the whole batch rejects with `INVALID_ARGUMENT`. If the environment does not exist in Flipt v2,
   * the whole batch rejects with `NOT_FOUND`; Flipt v1 ignores the environment.
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
