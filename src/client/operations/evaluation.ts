import type { CallOptions } from './call-options.js';

/** One flag to evaluate for one entity. */
export interface EvaluationRequest {
  /** The flag's key. If there is no such flag, the answer is an {@link ErrorResponse}. */
  readonly flagKey: string;
  /** The entity, such as a user: percentages and distributions depend on it. Default `''`. */
  readonly entityId?: string | undefined;
  /** The key of the flag's namespace. Default `default`: Flipt's rule. */
  readonly namespaceKey?: string | undefined;
  /** What constraints compare: strings only. A missing member compares as `''` (Flipt's rule). Default: none. */
  readonly context?: Readonly<Record<string, string>> | undefined;
  /** Returned in this answer. Default `''`. */
  readonly requestId?: string | undefined;
  /** Revision to evaluate, if the service's store has revisions; a database ignores it. */
  readonly reference?: string | undefined;
}

/** The service's answer to a batch. */
export interface EvaluationBatch {
  /** {@link EvaluateOptions.requestId}, else a UUID from the service. */
  readonly requestId: string;
  /** One for each request, in their order. */
  readonly responses: readonly EvaluationResponse[];
  /** Milliseconds that the service took, with a fraction. */
  readonly requestDurationMillis: number;
}

/** `type` says which of the three members is present. */
export type EvaluationResponse =
  | {
      /** The flag is a variant flag. */
      readonly type: 'VARIANT_EVALUATION_RESPONSE_TYPE';
      /** The answer. */
      readonly variantResponse: VariantResponse;
      /** Absent. */
      readonly booleanResponse?: undefined;
      /** Absent. */
      readonly errorResponse?: undefined;
    }
  | {
      /** The flag is a boolean flag. */
      readonly type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE';
      /** The answer. */
      readonly booleanResponse: BooleanResponse;
      /** Absent. */
      readonly variantResponse?: undefined;
      /** Absent. */
      readonly errorResponse?: undefined;
    }
  | {
      /** There is no answer. */
      readonly type: 'ERROR_EVALUATION_RESPONSE_TYPE';
      /** Why there is none. */
      readonly errorResponse: ErrorResponse;
      /** Absent. */
      readonly variantResponse?: undefined;
      /** Absent. */
      readonly booleanResponse?: undefined;
    };

/** The kind of flag, or an error. */
export type EvaluationResponseType = EvaluationResponse['type'];

/**
 * Flipt's reason for an answer: a rule or rollout matched (`MATCH`), none did and there is a default (`DEFAULT`), none
 * did and there is no default variant, which is no error (`UNKNOWN`), or the flag is disabled (`FLAG_DISABLED`). A later
 * service may have more.
 */
export type EvaluationReason =
  | 'UNKNOWN_EVALUATION_REASON'
  | 'FLAG_DISABLED_EVALUATION_REASON'
  | 'MATCH_EVALUATION_REASON'
  | 'DEFAULT_EVALUATION_REASON'
  | (string & {});

/**
 * Flipt's reason for an error: no such flag or namespace (`NOT_FOUND`), or any other (`UNKNOWN`). A later service may
 * have more.
 */
export type ErrorEvaluationReason =
  | 'UNKNOWN_ERROR_EVALUATION_REASON'
  | 'NOT_FOUND_ERROR_EVALUATION_REASON'
  | (string & {});

/** What answers about both kinds of flags share. */
export interface FlagResponse {
  /** The request's, else `''`. */
  readonly requestId: string;
  /** The key of the flag. */
  readonly flagKey: string;
  /** Why this is the answer. */
  readonly reason: EvaluationReason;
  /** The segments of the matching rule or rollout that the entity is in, in no fixed order. */
  readonly segmentKeys: readonly string[];
  /** ISO 8601; when it was evaluated. Absent if the service did not send it. */
  readonly timestamp?: string | undefined;
  /** Milliseconds, with a fraction. */
  readonly requestDurationMillis: number;
}

/** The answer about a variant flag. */
export interface VariantResponse extends FlagResponse {
  /**
   * Whether a rule matched and its distributions, if any, include the entity. If `false`, there may still be a variant:
   * the flag's default (Flipt's rule).
   */
  readonly match: boolean;
  /** `''` if there is none. */
  readonly variantKey: string;
  /** JSON text; if the variant has none, `''` (Flipt v1) or `null` (v2). */
  readonly variantAttachment: string;
}

/** The answer about a boolean flag. */
export interface BooleanResponse extends FlagResponse {
  /** The flag's value, whatever the reason (Flipt's rule). */
  readonly enabled: boolean;
}

/** Stands in place of an answer. */
export interface ErrorResponse {
  /** The request's. */
  readonly flagKey: string;
  /** The request's; `''` if it has none. */
  readonly namespaceKey: string;
  /** Why there is no answer. */
  readonly reason: ErrorEvaluationReason;
}

/** How a batch is evaluated; each member applies to the whole batch. */
export interface EvaluateOptions extends CallOptions {
  /** Revision to evaluate, if the service's store has revisions. Default: the client's option. */
  readonly reference?: string | undefined;
  /** Returned in the answer. Default: the service generates one. */
  readonly requestId?: string | undefined;
  /** Environment to evaluate in (Flipt v2). Default: the client's option. */
  readonly environment?: string | undefined;
}

/** Evaluates flags; Flipt v1 and v2 have it. Each ends within `http.timeoutMs` × (`http.retries` + 1). */
export interface EvaluationOperations {
  /**
   * Evaluates flags. There is one answer for each request, in the same order. A flag or namespace that does not exist is
   * an {@link ErrorResponse}. One wrong value, such as a number in a `context`, fails the whole batch
   * (`INVALID_ARGUMENT`), and so does an unknown environment (`NOT_FOUND`).
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
