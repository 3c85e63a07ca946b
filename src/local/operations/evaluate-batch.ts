import { systemClock } from '../../base/time/clock.js';
import { mapInSteps, withPauses, pausing } from '../../base/time/pausable-steps.js';
import type { Message } from '../parsing/proto-message.js';
import type { Question } from '../../model/answer.js';
import { quoted } from '../../base/text/describe.js';
import { checkEnvironment, type Operation, type RoutedRequest, type ServiceCore } from './operation.js';
import { invalid, notFound, unauthenticated } from '../parsing/refused-request.js';
import { nowText } from '../../features/records.js';

/** The number of flags of a batch that the service can read, or evaluate, in one or two milliseconds. */
const ITEMS_PER_MS = 125;

/** POST /evaluate/v1/batch */
export const evaluateBatch = async (service: ServiceCore, { message, caller, header }: RoutedRequest) => {
  const started = performance.now();
  // The service has no revisions and ignores the value of `reference`, but a value of a wrong type makes the request
  // fail.
  const requestId = message.texts('reference', 'requestId').requestId || service.stamp.id();
  const items = await inTurns(message.messages('requests'), readItem);
  const isForeign = ({ question }: Item) => question.namespace !== caller.namespaceKey;
  // The service refuses an empty batch from a sender whose token is for only one namespace, because an empty batch
  // names no namespace.
  if (caller.namespaceKey !== undefined && (items.length === 0 || items.some(isForeign)))
    throw unauthenticated();
  if (items.length > 0) checkEnvironment(service.semantics, header('x-flipt-environment'));
  const responses = await inTurns(items, (item) => response(answerItem(service, item)));
  const rest = JSON.stringify({ requestId, requestDurationMillis: performance.now() - started });
  return { text: `{"responses":[${responses.join(',')}],${rest.slice(1)}` };
};

/**
 * POST /evaluate/v1/boolean and POST /evaluate/v1/variant evaluate one flag for one entity. The provider sends batches
 * instead, but other clients of Flipt use these two routes.
 */
export const evaluateOne =
  (kind: 'boolean' | 'variant'): Operation =>
  (service, { message, caller, header }) => {
    const item = readItem(message);
    const { namespace, flag } = item.question;
    if (caller.namespaceKey !== undefined && caller.namespaceKey !== namespace) throw unauthenticated();
    checkEnvironment(service.semantics, header('x-flipt-environment'));
    const requestId = item.requestId || service.stamp.id();
    const answer = answerItem(service, { ...item, requestId });
    if (answer.kind === 'error')
      throw notFound(`flag ${quoted(flag ? `${namespace}/${flag}` : namespace)} not found`);
    if (answer.kind !== kind) throw invalid(`flag type ${answer.kind.toUpperCase()}_FLAG_TYPE invalid`);
    return { json: answer.content };
  };

/** Calls `map` for each item of a long list, and pauses from time to time, so that other requests can run. */
function inTurns<From, To>(list: readonly From[], map: (from: From) => To) {
  return withPauses(mapInSteps(list, map), pausing(ITEMS_PER_MS, systemClock));
}

/** One evaluation that a client has requested: a flag, an entity and attributes. */
interface Item {
  readonly requestId: string;
  /** The namespace that the client sent, or `''` if the client sent none. */
  readonly namespaceKey: string;
  readonly question: Question;
}

/** The result of one evaluation, without the members that a result has only inside a batch. */
interface ItemAnswer {
  readonly kind: 'error' | 'boolean' | 'variant';
  readonly content: object;
}

function readItem(message: Message): Item {
  const { requestId, namespaceKey } = message.texts('reference', 'requestId', 'namespaceKey');
  const { flagKey: flag, entityId: entity } = message.texts('flagKey', 'entityId');
  const attributes = message.stringMap('context');
  return {
    requestId,
    namespaceKey,
    question: { namespace: namespaceKey || 'default', flag, entity, attributes },
  };
}

function answerItem({ overrides, evaluate, stamp }: ServiceCore, item: Item): ItemAnswer {
  const { requestId, namespaceKey, question } = item;
  const started = performance.now();
  const answer = evaluate(overrides.served(question.namespace), question);
  const flagKey = question.flag;
  if (answer.kind === 'missing') {
    const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON';
    return { kind: 'error', content: { flagKey, namespaceKey, reason } };
  }
  const requestDurationMillis = performance.now() - started;
  const shared = { requestId, requestDurationMillis, timestamp: nowText(stamp), flagKey };
  const { segmentKeys } = answer;
  const reason = `${answer.reason}_EVALUATION_REASON`;
  if (answer.kind === 'boolean') {
    return { kind: 'boolean', content: { ...shared, enabled: answer.enabled, reason, segmentKeys } };
  }
  const { match, variant: variantKey, attachment: variantAttachment } = answer;
  const content = { ...shared, match, segmentKeys, reason, variantKey, variantAttachment };
  return { kind: 'variant', content };
}

/** Returns the JSON of one item in the `responses` of a batch. */
function response({ kind, content }: ItemAnswer): string {
  return JSON.stringify({
    type: `${kind.toUpperCase()}_EVALUATION_RESPONSE_TYPE`,
    [`${kind}Response`]: content,
  });
}
