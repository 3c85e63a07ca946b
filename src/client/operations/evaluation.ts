import * as v from 'valibot';
import type { ConnectionSettings } from '../../options/settings.js';
import { isHeaderText } from '../../text/header.js';
import { environmentHeaders } from '../../http/reply.js';
import { BATCH_PATH } from '../../remote/batch-body.js';
import { numberOrNone, textIfAny, textOrNone, textsOrNone, word } from '../answer-fields.js';
import type {
  BooleanResponse,
  ErrorResponse,
  EvaluationBatch,
  EvaluationRequest,
  EvaluationResponse,
  VariantResponse,
} from './evaluation-types.js';
import type { Call, CallOptions, ClientOperation } from './client-operation.js';

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

const common = {
  requestId: textOrNone,
  flagKey: textOrNone,
  reason: word,
  segmentKeys: textsOrNone,
  timestamp: textIfAny,
  requestDurationMillis: numberOrNone,
};
const variantResponse: v.GenericSchema<unknown, VariantResponse> = v.object({
  ...common,
  match: v.nullish(v.boolean(), false),
  variantKey: textOrNone,
  variantAttachment: textOrNone,
});
const booleanResponse: v.GenericSchema<unknown, BooleanResponse> = v.object({
  ...common,
  enabled: v.boolean(),
});
const errorResponse: v.GenericSchema<unknown, ErrorResponse> = v.object({
  flagKey: textOrNone,
  namespaceKey: textOrNone,
  reason: word,
});

const response: v.GenericSchema<unknown, EvaluationResponse> = v.variant('type', [
  v.object({ type: v.literal('VARIANT_EVALUATION_RESPONSE_TYPE'), variantResponse }),
  v.object({ type: v.literal('BOOLEAN_EVALUATION_RESPONSE_TYPE'), booleanResponse }),
  v.object({ type: v.literal('ERROR_EVALUATION_RESPONSE_TYPE'), errorResponse }),
]);

/** A batch's answers match its requests by position: one more or less makes the response unreadable. */
function batchOf(requests: number): ClientOperation<EvaluationBatch> {
  const answer = v.object({
    requestId: textOrNone,
    responses: v.pipe(v.array(response), v.length(requests, `a list of ${requests}`)),
    requestDurationMillis: numberOrNone,
  });
  const offered = 'Every Flipt offers it: check the path in the option url.';
  return { name: 'evaluation.batch', method: 'POST', path: BATCH_PATH, repeatable: true, answer, offered };
}

/** `defaults` are used if a call does not give its own. */
export function evaluationOperations(
  call: Call,
  defaults: Pick<ConnectionSettings, 'reference' | 'environment'>,
): EvaluationOperations {
  return {
    async batch(requests, { signal, requestId, ...given } = {}) {
      const { reference = defaults.reference, environment = defaults.environment } = given;
      if (!isHeaderText(environment ?? '')) {
        throw new TypeError('environment: expected text without line breaks or characters beyond Latin-1');
      }
      const headers = environmentHeaders(environment);
      const body = { requestId, requests, reference };
      return call(batchOf(requests.length), { headers, body }, { signal });
    },
  };
}
