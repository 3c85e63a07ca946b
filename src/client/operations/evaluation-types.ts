/** One question in a batch. */
export interface EvaluationRequest {
  /** The flag's key. One that does not exist is answered by an {@link ErrorResponse}. */
  readonly flagKey: string;
  /** Whom the question is about; it decides about shares. Default `''`. */
  readonly entityId?: string | undefined;
  /** The key of the flag's namespace. Default `default`: Flipt's rule. */
  readonly namespaceKey?: string | undefined;
  /** What constraints compare: text only. A member that is missing compares as `''`: Flipt's rule. Default: none. */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** Resolution back in the answer to this question. Default `''`. */
  readonly requestId?: string | undefined;
  /** Revision to evaluate, where the service's store has revisions; a database ignores it. */
  readonly reference?: string | undefined;
}

/** The service's answer to a batch. */
export interface EvaluationBatch {
  /** {@link EvaluateOptions.requestId}, else a UUID that the service has made up. */
  readonly requestId: string;
  /** One for each request, in their order. */
  readonly responses: readonly EvaluationResponse[];
  /** Milliseconds that the service took, with a fraction. */
  readonly requestDurationMillis: number;
}

/** Its `type` tells which member is there. */
export type EvaluationResponse =
  | {
      /** The flag is a variant flag. */
      readonly type: 'VARIANT_EVALUATION_RESPONSE_TYPE';
      /** The answer. */
      readonly variantResponse: VariantResponse;
      /** Never there. */
      readonly booleanResponse?: undefined;
      /** Never there. */
      readonly errorResponse?: undefined;
    }
  | {
      /** The flag is a boolean flag. */
      readonly type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE';
      /** The answer. */
      readonly booleanResponse: BooleanResponse;
      /** Never there. */
      readonly variantResponse?: undefined;
      /** Never there. */
      readonly errorResponse?: undefined;
    }
  | {
      /** There is no answer. */
      readonly type: 'ERROR_EVALUATION_RESPONSE_TYPE';
      /** Why there is none. */
      readonly errorResponse: ErrorResponse;
      /** Never there. */
      readonly variantResponse?: undefined;
      /** Never there. */
      readonly booleanResponse?: undefined;
    };

/** Tells what kind of flag an answer is about, or that it is none. */
export type EvaluationResponseType = EvaluationResponse['type'];

/**
 * Why an answer is as it is, in Flipt's words: a rule or rollout decided (`MATCH`), none did and there is a default
 * (`DEFAULT`), none did and there is no default variant, which is no error (`UNKNOWN`), or the flag is disabled
 * (`FLAG_DISABLED`). A later service may have other words.
 */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/**
 * Why there is no answer, in Flipt's words: there is no such flag or namespace (`NOT_FOUND`), or anything else. A later
 * service may have other words.
 */
export type ErrorEvaluationReason =
  'UNKNOWN_ERROR_EVALUATION_REASON' | 'NOT_FOUND_ERROR_EVALUATION_REASON' | (string & {});

/** What the answers about flags of either kind have in common. */
export interface FlagResponse {
  /** What the request said, else `''`. */
  readonly requestId: string;
  /** The key of the flag that was asked for. */
  readonly flagKey: string;
  /** Why the answer is as it is. */
  readonly reason: EvaluationReason;
  /** Those of the deciding rule's or rollout's segments that the entity is in, in no fixed order. */
  readonly segmentKeys: readonly string[];
  /** ISO 8601; when it was evaluated. Absent where the service did not say. */
  readonly timestamp?: string | undefined;
  /** Milliseconds, with a fraction. */
  readonly requestDurationMillis: number;
}

/** The answer about a variant flag. */
export interface VariantResponse extends FlagResponse {
  /**
   * Whether a rule matched, and its shares reach the entity if it has any. If not, there may be a variant all the same:
   * the flag's default. Flipt's rule.
   */
  readonly match: boolean;
  /** `''` where there is none. */
  readonly variantKey: string;
  /** JSON text; where the variant has none `''` (Flipt v1) or `null` (v2). */
  readonly variantAttachment: string;
}

/** The answer about a boolean flag. */
export interface BooleanResponse extends FlagResponse {
  /** The flag's value, whatever the reason: Flipt's rule. */
  readonly enabled: boolean;
}

/** What comes instead of an answer. */
export interface ErrorResponse {
  /** As the request said it. */
  readonly flagKey: string;
  /** As the request said it: `''` where it said nothing. */
  readonly namespaceKey: string;
  /** Why there is no answer. */
  readonly reason: ErrorEvaluationReason;
}
