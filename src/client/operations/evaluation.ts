import { isHeaderText } from '../../text/header.js';
import { environmentHeaders } from '../../http/reply.js';
import { BATCH_PATH } from '../../remote/batch-wire.js';
import { batchAnswer } from './evaluation-answer.js';
import type { EvaluationBatch, EvaluationRequest } from './evaluation-types.js';
import { OFFERED_BY_ALL, type Call, type CallOptions } from './client-operation.js';

/** How a batch is evaluated; each member applies to the whole batch. */
export interface EvaluateOptions extends CallOptions {
  /** Revision to evaluate, if the service's store has revisions. Default: the client's option. */
  readonly reference?: string | undefined;
  /** Returned in the answer. Default: the service generates one. */
  readonly requestId?: string | undefined;
  /** Environment to evaluate in (Flipt v2). Default: the client's option. */
  readonly environment?: string | undefined;
}

/** Evaluates flags; Flipt v1 and v2 have it. */
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

/** Used if a call does not give its own. */
export interface EvaluationDefaults {
  readonly reference: string | undefined;
  readonly environment: string | undefined;
}

export function evaluationOperations(call: Call, defaults: EvaluationDefaults): EvaluationOperations {
  return {
    async batch(requests, { signal, requestId, ...given } = {}) {
      const { reference = defaults.reference, environment = defaults.environment } = given;
      if (!isHeaderText(environment ?? '')) {
        throw new TypeError('environment: expected text without line breaks or characters beyond Latin-1');
      }
      const operation = {
        name: 'evaluation.batch',
        method: 'POST',
        path: BATCH_PATH,
        headers: environmentHeaders(environment),
        body: { requestId, requests, reference },
        repeatable: true,
        answer: batchAnswer(requests.length),
        offered: OFFERED_BY_ALL,
      } as const;
      return call(operation, { signal });
    },
  };
}
