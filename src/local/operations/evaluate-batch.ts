import type { KnownAnswer } from '../../model/answer.js';
import { Message } from '../requests/message.js';
import { checkEnvironment } from './check-environment.js';
import type { Operation, ServiceCore } from './operation.js';
import { unauthenticated } from '../requests/refusal.js';

/** POST /evaluate/v1/batch */
export const evaluateBatch: Operation = (service, { body, caller, header }) => {
  const started = performance.now();
  const batch = readBatch(body);
  if (caller.namespaceKey !== undefined && !isWithin(batch.items, caller.namespaceKey)) {
    throw unauthenticated();
  }
  if (batch.items.length > 0) checkEnvironment(service.semantics, header('x-flipt-environment'));
  return {
    requestId: batch.requestId || service.stamp.id(),
    responses: batch.items.map((item) => answerItem(service, item)),
    requestDurationMillis: performance.now() - started,
  };
};

interface Item {
  readonly requestId: string;
  readonly namespaceKey: string;
  readonly flagKey: string;
  readonly entityId: string;
  readonly context: Readonly<Record<string, string>>;
}

function readBatch(body: string): { requestId: string; items: readonly Item[] } {
  const message = Message.parse(body);
  // Without effect in a store that has no revisions, but of a wrong type it fails the request.
  message.string('reference');
  return { requestId: message.string('requestId'), items: message.messages('requests').map(readItem) };
}

function readItem(message: Message): Item {
  message.string('reference');
  return {
    requestId: message.string('requestId'),
    namespaceKey: message.string('namespaceKey'),
    flagKey: message.string('flagKey'),
    entityId: message.string('entityId'),
    context: message.stringMap('context'),
  };
}

/** An empty batch is in no namespace. */
function isWithin(items: readonly Item[], namespaceKey: string): boolean {
  return items.length > 0 && items.every((item) => namespaceOf(item) === namespaceKey);
}

function namespaceOf({ namespaceKey }: Item): string {
  return namespaceKey || 'default';
}

function answerItem({ store, evaluate, stamp }: ServiceCore, item: Item): unknown {
  const started = performance.now();
  const question = {
    namespace: namespaceOf(item),
    flag: item.flagKey,
    entity: item.entityId,
    attributes: item.context,
  };
  const answer = evaluate(store.state.namespaces.get(question.namespace), question);
  const shared = {
    requestId: item.requestId,
    requestDurationMillis: performance.now() - started,
    timestamp: new Date(stamp.date()).toISOString(),
    flagKey: item.flagKey,
  };
  return responseItem(item, answer, shared);
}

function responseItem(item: Item, answer: KnownAnswer, shared: object): unknown {
  switch (answer.kind) {
    case 'missing':
      return {
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        errorResponse: {
          flagKey: item.flagKey,
          namespaceKey: item.namespaceKey,
          reason: 'NOT_FOUND_ERROR_EVALUATION_REASON',
        },
      };
    case 'boolean':
      return {
        type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
        booleanResponse: {
          ...shared,
          enabled: answer.enabled,
          reason: `${answer.reason}_EVALUATION_REASON`,
          segmentKeys: answer.segmentKeys,
        },
      };
    case 'variant':
      return {
        type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
        variantResponse: {
          ...shared,
          match: answer.match,
          segmentKeys: answer.segmentKeys,
          reason: `${answer.reason}_EVALUATION_REASON`,
          variantKey: answer.variant,
          variantAttachment: answer.attachment,
        },
      };
  }
}
