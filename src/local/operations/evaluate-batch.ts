import { systemClock } from '../../time/clock.js';
import { mapInSteps, withPauses, pausing } from '../../time/pausable-steps.js';
import type { Message } from '../requests/proto-message.js';
import { checkEnvironment, type RoutedRequest, type ServiceCore } from './operation.js';
import { unauthenticated } from '../requests/refused-request.js';
import { nowText } from '../../features/records.js';

/** Items that are read, or evaluated, in a millisecond or two. */
const ITEMS_PER_MS = 125;

/** POST /evaluate/v1/batch */
export const evaluateBatch = async (service: ServiceCore, { message, caller, header }: RoutedRequest) => {
  const started = performance.now();
  // A store without revisions ignores the reference, but a wrong type fails the request.
  const requestId = message.texts('reference', 'requestId').requestId || service.stamp.id();
  const items = await inTurns(message.messages('requests'), readItem);
  const isForeign = ({ question }: Item) => question.namespace !== caller.namespaceKey;
  // An empty batch names no namespace.
  if (caller.namespaceKey !== undefined && (items.length === 0 || items.some(isForeign)))
    throw unauthenticated();
  if (items.length > 0) checkEnvironment(service.semantics, header('x-flipt-environment'));
  const responses = await inTurns(items, (item) => JSON.stringify(answerItem(service, item)));
  const rest = JSON.stringify({ requestId, requestDurationMillis: performance.now() - started });
  return { text: `{"responses":[${responses.join(',')}],${rest.slice(1)}` };
};

/** Maps a long list, and lets other requests run in between. */
function inTurns<From, To>(list: readonly From[], map: (from: From) => To) {
  return withPauses(mapInSteps(list, map), pausing(ITEMS_PER_MS, systemClock));
}

type Item = ReturnType<typeof readItem>;

function readItem(message: Message) {
  const { requestId, namespaceKey } = message.texts('reference', 'requestId', 'namespaceKey');
  const { flagKey: flag, entityId: entity } = message.texts('flagKey', 'entityId');
  const attributes = message.stringMap('context');
  return {
    requestId,
    namespaceKey,
    question: { namespace: namespaceKey || 'default', flag, entity, attributes },
  };
}

function answerItem({ overrides, evaluate, stamp }: ServiceCore, item: Item): unknown {
  const { requestId, namespaceKey, question } = item;
  const started = performance.now();
  const answer = evaluate(overrides.served(question.namespace), question);
  const flagKey = question.flag;
  if (answer.kind === 'missing') {
    return response('error', { flagKey, namespaceKey, reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' });
  }
  const requestDurationMillis = performance.now() - started;
  const shared = { requestId, requestDurationMillis, timestamp: nowText(stamp), flagKey };
  const { segmentKeys } = answer;
  const reason = `${answer.reason}_EVALUATION_REASON`;
  if (answer.kind === 'boolean') {
    return response('boolean', { ...shared, enabled: answer.enabled, reason, segmentKeys });
  }
  const { match, variant: variantKey, attachment: variantAttachment } = answer;
  return response('variant', { ...shared, match, segmentKeys, reason, variantKey, variantAttachment });
}

function response(kind: 'error' | 'boolean' | 'variant', content: object): object {
  return { type: `${kind.toUpperCase()}_EVALUATION_RESPONSE_TYPE`, [`${kind}Response`]: content };
}
