import type { Answer } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { contentWords, statusFailure, unreadable, type Reply } from '../http/reply.js';
import { oneLine, quoted } from '../text/quote.js';

export const BATCH_PATH = '/evaluate/v1/batch';

const REASON_SUFFIX = '_EVALUATION_REASON';

/** The question as an item of a batch. Lone surrogates, which UTF-8 cannot express, become U+FFFD. */
export function itemText({ namespace, flag, entity, attributes }: Question): string {
  const text = JSON.stringify({
    namespaceKey: namespace,
    flagKey: flag,
    entityId: entity,
    context: attributes,
  });
  return text.includes('\\ud') ? wellFormed(text) : text;
}

/** `JSON.stringify` writes a lone surrogate as an escape, preceded by an even number of backslashes. */
function wellFormed(text: string): string {
  return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, lone: string | undefined) =>
    lone === undefined ? escape : '\ufffd',
  );
}

/** Writes each question only once. Measuring and sending use the same text. */
export function itemTexts(): (question: Question) => string {
  const texts = new WeakMap<Question, string>();
  return (question) => {
    const known = texts.get(question);
    if (known !== undefined) return known;
    const text = itemText(question);
    texts.set(question, text);
    return text;
  };
}

export function batchBody(items: readonly string[], reference: string | undefined): string {
  const tail = reference === undefined ? '' : `,"reference":${JSON.stringify(reference)}`;
  return `{"requests":[${items.join(',')}]${tail}}`;
}

/**
 * One answer for each question, by position. A question that the reply leaves out fails alone. If the number of items
 * is wrong, a position alone proves nothing, because the same flag may have been asked for two entities. Then an item
 * counts only if it names a flag that was asked once.
 */
export function answersOf(
  url: string,
  reply: Reply,
  questions: readonly Question[],
): readonly Answer[] | Failure {
  if (reply.status !== 200) return requestFailure(url, reply, questions.length);
  const body = parsed(reply);
  if (body === undefined) return unreadable(url, `${contentWords(reply)}, not JSON`);
  const items = isObject(body) ? body.responses : undefined;
  if (!Array.isArray(items)) return unreadable(url, `${contentWords(reply)}, without a list "responses"`);
  const miscounted = items.length !== questions.length;
  const count = `${items.length} items for a batch of ${questions.length}`;
  if (miscounted && items.length === 0) return unreadable(url, count);
  const batchId = isObject(body) && typeof body.requestId === 'string' ? body.requestId : '';
  const isOnce = miscounted ? askedOnce(questions) : undefined;
  return questions.map((question, at) => {
    const item: unknown = items[at];
    const isBelieved = isOnce === undefined || (isOnce(question) && namesFlag(item));
    const answer = isBelieved ? itemAnswer(item, question, batchId, reply) : undefined;
    if (answer !== undefined) return answer;
    const why = miscounted ? count : `item ${at} does not answer the question at its position`;
    return { kind: 'failed', failure: unreadable(url, why) };
  });
}

/** If a rejected request held only one question, that question was rejected. */
function requestFailure(url: string, reply: Reply, count: number): Failure {
  const failure = statusFailure(url, reply);
  return failure.kind === 'rejected-request' && count === 1
    ? { ...failure, kind: 'rejected-question' }
    : failure;
}

function askedOnce(questions: readonly Question[]): (question: Question) => boolean {
  const times = new Map<string, number>();
  for (const { flag } of questions) times.set(flag, (times.get(flag) ?? 0) + 1);
  return ({ flag }) => times.get(flag) === 1;
}

function namesFlag(item: unknown): boolean {
  return (
    isObject(item) &&
    [item.variantResponse, item.booleanResponse, item.errorResponse].some(
      (response) => isObject(response) && response.flagKey !== undefined,
    )
  );
}

function parsed(reply: Reply): unknown {
  try {
    return JSON.parse(reply.text) as unknown;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** `undefined` if the item is not an answer to this question. */
function itemAnswer(
  item: unknown,
  question: Question,
  batchId: string,
  { redact }: Reply,
): Answer | undefined {
  if (!isObject(item)) return undefined;
  switch (item.type) {
    case 'VARIANT_EVALUATION_RESPONSE_TYPE':
      return isAbout(item.variantResponse, question)
        ? variantAnswer(item.variantResponse, batchId)
        : undefined;
    case 'BOOLEAN_EVALUATION_RESPONSE_TYPE':
      return isAbout(item.booleanResponse, question)
        ? booleanAnswer(item.booleanResponse, batchId)
        : undefined;
    case 'ERROR_EVALUATION_RESPONSE_TYPE':
      return isAbout(item.errorResponse, question)
        ? errorAnswer(item.errorResponse, question, redact)
        : undefined;
    default:
      return undefined;
  }
}

/** An answer that names another flag belongs to another question, whatever its position. */
function isAbout(response: unknown, { flag }: Question): response is Fields {
  return isObject(response) && (response.flagKey === undefined || response.flagKey === flag.toWellFormed());
}

function variantAnswer(response: Fields, batchId: string): Answer | undefined {
  const { match = false, variantKey = '', variantAttachment = '', reason } = response;
  const segmentKeys = texts(response.segmentKeys ?? []);
  if (typeof match !== 'boolean' || typeof variantKey !== 'string' || typeof variantAttachment !== 'string') {
    return undefined;
  }
  if (typeof reason !== 'string' || segmentKeys === undefined) return undefined;
  return {
    kind: 'variant',
    match,
    variant: variantKey,
    attachment: variantAttachment,
    reason: reasonWord(reason),
    segmentKeys,
    requestId: requestIdOf(response, batchId),
  };
}

function booleanAnswer(response: Fields, batchId: string): Answer | undefined {
  const { enabled, reason } = response;
  const segmentKeys = response.segmentKeys === undefined ? undefined : texts(response.segmentKeys);
  if (typeof enabled !== 'boolean' || typeof reason !== 'string') return undefined;
  if (response.segmentKeys !== undefined && segmentKeys === undefined) return undefined;
  return {
    kind: 'boolean',
    enabled,
    reason: reasonWord(reason),
    segmentKeys,
    requestId: requestIdOf(response, batchId),
  };
}

function errorAnswer({ reason }: Fields, question: Question, redact: Reply['redact']): Answer {
  if (reason === 'NOT_FOUND_ERROR_EVALUATION_REASON') return { kind: 'missing' };
  const words = typeof reason === 'string' ? oneLine(redact(reason)) : 'no reason';
  const message = `Flipt could not evaluate flag ${quoted(question.flag)}: ${words}`;
  return { kind: 'failed', failure: { kind: 'item', message } };
}

function requestIdOf(response: Fields, batchId: string): string {
  return typeof response.requestId === 'string' && response.requestId !== '' ? response.requestId : batchId;
}

function reasonWord(reason: string): string {
  return oneLine(reason.endsWith(REASON_SUFFIX) ? reason.slice(0, -REASON_SUFFIX.length) : reason);
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
