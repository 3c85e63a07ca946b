/** One question in a batch. */
export interface EvaluationRequest {
  readonly flagKey: string;
  /** Whom the question is about; it decides about shares. Default `''`. */
  readonly entityId?: string | undefined;
  /** Default `default`. */
  readonly namespaceKey?: string | undefined;
  /** What constraints compare: text only. */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** Told back in the answer. */
  readonly requestId?: string | undefined;
  /** Revision to evaluate, where the service's store has revisions. */
  readonly reference?: string | undefined;
}

/** The service's answer to a batch. */
export interface EvaluationBatch {
  readonly requestId: string;
  /** One for each request, in their order. */
  readonly responses: readonly EvaluationResponse[];
  /** Milliseconds that the service took, with a fraction. */
  readonly requestDurationMillis: number;
}

/** Its `type` tells which member is there. */
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

/** Tells what kind of flag an answer is about, or that it is none. */
export type EvaluationResponseType = EvaluationResponse['type'];

/** Why an answer is as it is. A later service may have other words. */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/** Why there is no answer. A later service may have other words. */
export type ErrorEvaluationReason =
  'UNKNOWN_ERROR_EVALUATION_REASON' | 'NOT_FOUND_ERROR_EVALUATION_REASON' | (string & {});

/** What the answers about flags of either kind have in common. */
export interface FlagResponse {
  /** What the request said, else `''`. */
  readonly requestId: string;
  readonly flagKey: string;
  readonly reason: EvaluationReason;
  /** Those of the deciding rule's or rollout's segments that the entity is in, in no fixed order. */
  readonly segmentKeys: readonly string[];
  /** ISO 8601; when it was evaluated. */
  readonly timestamp?: string | undefined;
  /** Milliseconds, with a fraction. */
  readonly requestDurationMillis: number;
}

/** The answer about a variant flag. */
export interface VariantResponse extends FlagResponse {
  /** Whether a rule gave the entity a variant; one may be there without, by default. */
  readonly match: boolean;
  /** `''` where there is none. */
  readonly variantKey: string;
  /** JSON text; where the variant has none `''` (Flipt v1) or `null` (v2). */
  readonly variantAttachment: string;
}

/** The answer about a boolean flag. */
export interface BooleanResponse extends FlagResponse {
  readonly enabled: boolean;
}

/** What comes instead of an answer. */
export interface ErrorResponse {
  readonly flagKey: string;
  /** As the request said it: `''` where it said nothing. */
  readonly namespaceKey: string;
  readonly reason: ErrorEvaluationReason;
}
