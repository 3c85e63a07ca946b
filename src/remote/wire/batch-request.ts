import { isFailure, questionOf, type AskAtOnce, type Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { ConnectionSettings } from '../../options/settings.js';
import { environmentHeaders, type Send } from '../../http/reply.js';
import { answersOf } from './batch-answers.js';

/** Sends questions in one request. Aborting `closing` ends it. */
export function batchSender(
  send: Send,
  settings: Pick<ConnectionSettings, 'url' | 'environment' | 'reference' | 'auth' | 'headers'>,
  closing: AbortSignal,
  writer = batchWriter(settings.reference),
): AskAtOnce {
  const headers = environmentHeaders(settings.environment);
  const hasCredentials = settings.auth !== undefined || 'authorization' in settings.headers;
  return async (questions) => {
    const body = writer.body(questions);
    const outcome = await send({
      method: 'POST',
      path: BATCH_PATH,
      headers,
      body,
      repeatable: true,
      signal: closing,
    });
    return outcome.kind === 'reply' ? answersOf(settings.url, outcome, questions, hasCredentials) : outcome;
  };
}

/**
 * A check is an evaluation of an empty flag key, which Flipt answers with NOT_FOUND for any valid token of the namespace.
 * It would reject an empty batch with a token of a namespace.
 */
export function healthCheck(askAtOnce: AskAtOnce, namespace: string): () => Promise<Failure | undefined> {
  const question = questionOf(namespace, '', { entity: '', names: [], texts: [] });
  return async () => {
    const outcome = await askAtOnce([question]);
    if (isFailure(outcome)) return outcome;
    const [answer] = outcome;
    return answer?.kind === 'failed' && answer.failure.kind !== 'item' ? answer.failure : undefined;
  };
}

const BATCH_PATH = '/evaluate/v1/batch';

/** In bytes of UTF-8. */
export interface QuestionSizes {
  /** Of a body without questions, less the one comma that `of` counts too many. */
  readonly empty: number;
  readonly of: (question: Question) => number;
}

export interface BatchWriter {
  readonly body: (questions: readonly Question[]) => string;
  readonly sizes: QuestionSizes;
}

/** Measuring and sending use the same text of a question. */
export function batchWriter(reference: string | undefined): BatchWriter {
  const texts = new WeakMap<Question, string>();
  const textOf = (question: Question): string => {
    let text = texts.get(question);
    if (text === undefined) texts.set(question, (text = itemText(question)));
    return text;
  };
  return {
    body: (questions) => batchBody(questions.map(textOf), reference),
    sizes: {
      empty: Buffer.byteLength(batchBody([], reference)) - 1,
      of: (question) => Buffer.byteLength(textOf(question)) + 1,
    },
  };
}

export function itemText({ namespace, flag, entity, attributes }: Question): string {
  const text = JSON.stringify({
    namespaceKey: namespace,
    flagKey: flag,
    entityId: entity,
    context: attributes,
  });
  return text.includes('\\ud') ? wellFormed(text) : text;
}

/**
 * UTF-8 cannot express lone surrogates, which `JSON.stringify` writes as escapes. The expression skips escaped
 * backslashes.
 */
function wellFormed(text: string): string {
  return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, lone: string | undefined) =>
    lone === undefined ? escape : '\ufffd',
  );
}

export function batchBody(items: readonly string[], reference: string | undefined): string {
  const tail = reference === undefined ? '' : `,"reference":${JSON.stringify(reference)}`;
  return `{"requests":[${items.join(',')}]${tail}}`;
}
