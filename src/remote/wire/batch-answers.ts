import type { Failure } from '../../model/failure.js';
import {
  failed,
  MISSING,
  type Answer,
  type BatchOutcome,
  type BooleanAnswer,
  type Question,
} from '../../model/answer.js';
import type { Reply } from '../../http/reply.js';
import { contentWords, statusFailure, unreadable } from '../../http/failures.js';
import { isRecord, oneLine, quoted } from '../../base/text/describe.js';
import { hasMoreValues, parsedJson } from '../../base/text/json.js';

/** An answer has about ten JSON values, and more if many segments match. */
const MOST_VALUES = 100_000;
const MOST_VALUES_OF_ANSWER = 100;

const REASON_SUFFIX = '_EVALUATION_REASON';

/** Flipt's answers stand in the order of the questions. One that cannot be read fails its question alone. */
export function answersOf(
  url: string,
  reply: Reply,
  questions: readonly Question[],
  hasCredentials = true,
): BatchOutcome {
  if (reply.status !== 200) return failureOf(url, reply, questions, hasCredentials);
  const mostValues = MOST_VALUES + questions.length * MOST_VALUES_OF_ANSWER;
  if (hasMoreValues(reply.text, mostValues)) return unreadable(url, `more than ${mostValues} values`);
  const body = parsedJson(reply.text);
  if (body === undefined) return unreadable(url, `${contentWords(reply)}, not JSON`);
  const { responses: items, requestId } = isRecord(body) ? body : {};
  if (!Array.isArray(items)) return unreadable(url, `${contentWords(reply)}, without a list "responses"`);
  if (items.length !== questions.length)
    return unreadable(url, `${items.length} items for a batch of ${questions.length}`);
  const batchId = typeof requestId === 'string' ? requestId : '';
  return questions.map((question, at) => {
    const answer = itemAnswer(items[at], { question, batchId, redact: reply.redact });
    const why = `item ${at} does not answer the question at its position`;
    return answer ?? failed(unreadable(url, why));
  });
}

function failureOf(
  url: string,
  reply: Reply,
  { length }: readonly Question[],
  hasCredentials: boolean,
): Failure {
  const failure = statusFailure(url, reply);
  if (failure.kind === 'rejected-request' && length === 1) return { ...failure, kind: 'rejected-question' };
  // A page comes from a firewall or a proxy, and not from Flipt, which knows the credentials.
  const isOfCredentials = hasCredentials && !/^\s*text\/html/i.test(String(reply.headers['content-type']));
  return failure.kind === 'forbidden' && !isOfCredentials ? { ...failure, kind: 'refused-request' } : failure;
}

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  readonly question: Question;
  readonly batchId: string;
  readonly redact: Reply['redact'];
}

const READERS = new Map<unknown, { readonly member: string; readonly read: typeof variantAnswer }>([
  ['VARIANT_EVALUATION_RESPONSE_TYPE', { member: 'variantResponse', read: variantAnswer }],
  ['BOOLEAN_EVALUATION_RESPONSE_TYPE', { member: 'booleanResponse', read: booleanAnswer }],
  ['ERROR_EVALUATION_RESPONSE_TYPE', { member: 'errorResponse', read: errorAnswer }],
]);

/** `undefined` if the item is no readable answer to this question. */
function itemAnswer(item: unknown, asked: Asked): Answer | undefined {
  if (!isRecord(item)) return undefined;
  const reader = READERS.get(item.type);
  const response = reader && item[reader.member];
  return isAbout(response, asked.question) ? reader?.read(response, asked) : undefined;
}

/** An answer that names another flag belongs to another question, whatever its position is. */
function isAbout(response: unknown, { flag }: Question): response is Fields {
  return isRecord(response) && (response.flagKey === undefined || response.flagKey === flag.toWellFormed());
}

function variantAnswer(response: Fields, asked: Asked): Answer | undefined {
  const { match = false, variantKey: variant = '', variantAttachment: attachment = '' } = response;
  const shared = flagAnswer(response, asked);
  if (shared === undefined || typeof match !== 'boolean') return undefined;
  if (typeof variant !== 'string' || typeof attachment !== 'string') return undefined;
  return { kind: 'variant', match, variant, attachment, ...shared, segmentKeys: shared.segmentKeys ?? [] };
}

function booleanAnswer(response: Fields, asked: Asked): Answer | undefined {
  const { enabled } = response;
  const shared = flagAnswer(response, asked);
  if (shared === undefined || typeof enabled !== 'boolean') return undefined;
  return { kind: 'boolean', enabled, ...shared };
}

type FlagAnswer = Pick<BooleanAnswer, 'reason' | 'segmentKeys' | 'requestId'>;

function flagAnswer(
  { reason, segmentKeys, requestId }: Fields,
  { batchId, redact }: Asked,
): FlagAnswer | undefined {
  const keys = segmentKeys == null ? undefined : texts(segmentKeys);
  if (typeof reason !== 'string' || (keys === undefined && segmentKeys != null)) return undefined;
  return {
    // Both become metadata of the evaluation.
    reason: oneLine(redact(reason.endsWith(REASON_SUFFIX) ? reason.slice(0, -REASON_SUFFIX.length) : reason)),
    segmentKeys: keys,
    requestId: redact(typeof requestId === 'string' && requestId !== '' ? requestId : batchId),
  };
}

function errorAnswer({ reason }: Fields, { question, redact }: Asked): Answer {
  if (reason === 'NOT_FOUND_ERROR_EVALUATION_REASON') return MISSING;
  const words = typeof reason === 'string' ? oneLine(redact(reason)) : 'it gave no reason';
  const message = `Flipt could not evaluate flag ${quoted(question.flag)}: ${words}`;
  return failed({ kind: 'item', message });
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : undefined;
}
