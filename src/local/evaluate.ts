import { randomUUID } from 'node:crypto';
import { quoted } from '../base/text/describe.js';
import { json, permit, type Service, type Request, type Operation } from './operation.js';
import { Refusal, Message } from './request.js';
import { nowText } from './store.js';

const MOST_ITEMS = 50_000;

/** POST /evaluate/v1/batch */
export const evaluateBatch: Operation = (service, request) => {
  const started = performance.now();
  const message = Message.of(request.text);
  const { requestId } = message.strings('reference', 'requestId');
  const requests = message.messages('requests');
  if (requests.length > MOST_ITEMS) throw new Refusal(413, `expected at most ${MOST_ITEMS} items in a batch`);
  const items = requests.map(itemOf);
  // An empty batch is in no namespace, so a token for one namespace is not enough for it.
  if (items.length === 0) permit(request.caller);
  else checkEnvironment(service, request);
  for (const { question } of items) permit(request.caller, question.namespace);
  const responses = items.map((item) => {
    const { kind, ...content } = answered(service, item);
    return { type: `${kind.toUpperCase()}_EVALUATION_RESPONSE_TYPE`, [`${kind}Response`]: content };
  });
  return json({
    responses,
    requestId: requestId || randomUUID(),
    requestDurationMillis: performance.now() - started,
  });
};

/** POST /evaluate/v1/boolean and /evaluate/v1/variant, which Flipt's own clients send. */
export const evaluateOne =
  (expected: 'boolean' | 'variant'): Operation =>
  (service, request) => {
    const item = itemOf(Message.of(request.text));
    const { namespace, flag } = item.question;
    permit(request.caller, namespace);
    checkEnvironment(service, request);
    const { kind, ...content } = answered(service, { ...item, requestId: item.requestId || randomUUID() });
    if (kind === 'error')
      throw new Refusal(404, `flag ${quoted(flag ? `${namespace}/${flag}` : namespace)} not found`);
    if (kind !== expected) throw new Refusal(400, `flag type ${kind.toUpperCase()}_FLAG_TYPE invalid`);
    return json(content);
  };

/** Flipt v1 has no environments, and ignores the header. */
export function checkEnvironment({ semantics }: Service, { header }: Request): void {
  const name = header('x-flipt-environment') ?? '';
  if (semantics === 'v1' || name === '' || name === 'default') return;
  const environment = JSON.stringify(name);
  throw new Refusal(
    404,
    `failed to get environment ${environment} from context: environment: ${environment} not found`,
  );
}

function itemOf(message: Message) {
  const { requestId, namespaceKey } = message.strings('reference', 'requestId', 'namespaceKey');
  const { flagKey: flag, entityId: entity } = message.strings('flagKey', 'entityId');
  const attributes = message.stringMap('context');
  return {
    requestId,
    namespaceKey,
    question: { namespace: namespaceKey || 'default', flag, entity, attributes },
  };
}

function answered(
  { overrides, evaluate }: Service,
  { requestId, namespaceKey, question }: ReturnType<typeof itemOf>,
) {
  const started = performance.now();
  const answer = evaluate(overrides.served(question.namespace), question);
  const flagKey = question.flag;
  if (answer.kind === 'missing') {
    return { kind: 'error', flagKey, namespaceKey, reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' };
  }
  const requestDurationMillis = performance.now() - started;
  const { segmentKeys } = answer;
  const reason = `${answer.reason}_EVALUATION_REASON`;
  const shared = { requestId, requestDurationMillis, timestamp: nowText(), flagKey, segmentKeys, reason };
  if (answer.kind === 'boolean') return { kind: 'boolean', ...shared, enabled: answer.enabled };
  const { match, variant: variantKey, attachment: variantAttachment } = answer;
  return { kind: 'variant', ...shared, match, variantKey, variantAttachment };
}
