import { pausing, systemClock } from '../../clock.js';
import type { KnownAnswer } from '../../model/answer.js';
import { beforeLong } from '../requests/json-body.js';
import type { Message } from '../requests/message.js';
import { checkEnvironment } from './check-environment.js';
import type { ServiceCore, TextOperation } from './operation.js';
import { unauthenticated } from '../requests/refusal.js';

/** Items that are read, or evaluated, in one turn of the event loop. */
const ITEMS_PER_TURN = 250;

/** POST /evaluate/v1/batch */
export const evaluateBatch: TextOperation = async (service, { message, caller, header }) => {
  const started = performance.now();
  // A store without revisions ignores the reference, but a wrong type fails the request.
  message.checkStrings('reference');
  const requestId = message.string('requestId') || service.stamp.id();
  const items = await inTurns(message.messages('requests'), readItem);
  if (caller.namespaceKey !== undefined && !isWithin(items, caller.namespaceKey)) throw unauthenticated();
  if (items.length > 0) checkEnvironment(service.semantics, header('x-flipt-environment'));
  const responses = await inTurns(items, (item) => JSON.stringify(answerItem(service, item)));
  await beforeLong(requestId);
  const rest = JSON.stringify({ requestId, requestDurationMillis: performance.now() - started });
  const text = `{"responses":[${responses.join(',')}],${rest.slice(1)}`;
  await beforeLong(text);
  return text;
};

/** Maps a long list, and lets other requests run in between. */
async function inTurns<From, To>(list: readonly From[], map: (from: From) => To): Promise<readonly To[]> {
  const mapped: To[] = [];
  const pause = pausing(ITEMS_PER_TURN, systemClock);
  for (const from of list) {
    mapped.push(map(from));
    await pause();
  }
  return mapped;
}

interface Item {
  readonly requestId: string;
  readonly namespaceKey: string;
  readonly flagKey: string;
  readonly entityId: string;
  readonly context: Readonly<Record<string, string>>;
}

function readItem(message: Message): Item {
  message.checkStrings('reference');
  return {
    requestId: message.string('requestId'),
    namespaceKey: message.string('namespaceKey'),
    flagKey: message.string('flagKey'),
    entityId: message.string('entityId'),
    context: message.stringMap('context'),
  };
}

/** An empty batch names no namespace. */
function isWithin(items: readonly Item[], namespaceKey: string): boolean {
  return items.length > 0 && items.every((item) => namespaceOf(item) === namespaceKey);
}

function namespaceOf({ namespaceKey }: Item): string {
  return namespaceKey || 'default';
}

function answerItem({ overrides, evaluate, stamp }: ServiceCore, item: Item): unknown {
  const started = performance.now();
  const question = {
    namespace: namespaceOf(item),
    flag: item.flagKey,
    entity: item.entityId,
    attributes: item.context,
  };
  const answer = evaluate(overrides.served(question.namespace), question);
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
