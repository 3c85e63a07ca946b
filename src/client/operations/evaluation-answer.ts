import * as v from 'valibot';
import type {
  BooleanResponse,
  ErrorResponse,
  EvaluationBatch,
  EvaluationResponse,
  VariantResponse,
} from './evaluation-types.js';
import { numberOrNone, textIfAny, textOrNone, textsOrNone, word } from './fields.js';

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
export function batchAnswer(requests: number): v.GenericSchema<unknown, EvaluationBatch> {
  return v.object({
    requestId: textOrNone,
    responses: v.pipe(v.array(response), v.length(requests, `a list of ${requests}`)),
    requestDurationMillis: numberOrNone,
  });
}
