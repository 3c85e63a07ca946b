import type { CallOptions } from './call.js';

export interface EvaluationRequest {
  readonly flagKey: string;
  /** Percentage rollouts and distributions depend on it. Default `''`. */
  readonly entityId?: string | undefined;
  /** Default `default`. */
  readonly namespaceKey?: string | undefined;
  /** For constraints. Flipt refuses the whole batch if a value is not a string. */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** Repeated in the answer, but not in an {@link ErrorResponse}. */
  readonly requestId?: string | undefined;
  /** Where Flipt's store has revisions. A Flipt with a database ignores it. */
  readonly reference?: string | undefined;
}

export interface EvaluateOptions extends CallOptions {
  /** Default: the client's option `reference`. */
  readonly reference?: string | undefined;
  /** Default: a UUID that Flipt generates. */
  readonly requestId?: string | undefined;
  /** The environment of Flipt v2. Default: the client's option `environment`. */
  readonly environment?: string | undefined;
}

export interface EvaluationBatch {
  readonly requestId: string;
  /** One for each request, in the order of the requests. */
  readonly responses: readonly EvaluationResponse[];
  /** With a fraction. */
  readonly requestDurationMillis: number;
}

/** `type` says which of the three other members is present. */
export type EvaluationResponse =
  | {
      readonly type: 'VARIANT_EVALUATION_RESPONSE_TYPE';
      readonly variantResponse: VariantResponse;
      readonly booleanResponse?: undefined;
      readonly errorResponse?: undefined;
    }
  | {
      readonly type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE';
      readonly booleanResponse: BooleanResponse;
      readonly variantResponse?: undefined;
      readonly errorResponse?: undefined;
    }
  | {
      readonly type: 'ERROR_EVALUATION_RESPONSE_TYPE';
      readonly errorResponse: ErrorResponse;
      readonly variantResponse?: undefined;
      readonly booleanResponse?: undefined;
    };

export type EvaluationResponseType = EvaluationResponse['type'];

/** `UNKNOWN` is no error: no rule of a variant flag decided, and it has no default variant. */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/** `NOT_FOUND`: the flag or its namespace does not exist. */
export type ErrorEvaluationReason =
  | 'UNKNOWN_ERROR_EVALUATION_REASON'
  | 'NOT_FOUND_ERROR_EVALUATION_REASON'
  | (string & {});

export interface FlagResponse {
  readonly requestId: string;
  readonly flagKey: string;
  readonly reason: EvaluationReason;
  /** Of the matching rule or rollout, those that contain the entity, in no fixed order. */
  readonly segmentKeys: readonly string[];
  readonly timestamp: string;
  /** With a fraction. */
  readonly requestDurationMillis: number;
}

export interface VariantResponse extends FlagResponse {
  /** Even if it is `false` there may be a variant, the flag's default. A rule without distributions matches, too. */
  readonly match: boolean;
  /** `''` without a variant. */
  readonly variantKey: string;
  /** JSON text. Without an attachment, Flipt v1 sends `''` and v2 `null`. */
  readonly variantAttachment: string;
}

export interface BooleanResponse extends FlagResponse {
  /** The flag's value, whatever `reason` says. */
  readonly enabled: boolean;
}

export interface ErrorResponse {
  readonly flagKey: string;
  readonly namespaceKey: string;
  readonly reason: ErrorEvaluationReason;
}

/** Flipt v1 and v2. */
export interface EvaluationOperations {
  /**
   * A missing flag or namespace is an {@link ErrorResponse}; a missing environment of Flipt v2 rejects the whole batch
   * with `NOT_FOUND`.
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
