import {
  isFailure,
  questionOf,
  type AskAtOnce,
  type HealthCheck,
  type Question,
  type QuestionSizes,
} from '../../model/answer.js';
import type { ConnectionSettings } from '../../options/settings.js';
import { environmentHeaders, type Send } from '../../http/reply.js';
import { answersOf } from './batch-answers.js';

/** Sends questions in one request, which ends when the caller's signal or `closing` is aborted. */
export function batchSender(
  send: Send,
  settings: Pick<ConnectionSettings, 'url' | 'environment' | 'reference' | 'auth' | 'headers'>,
  closing: AbortSignal,
  writer = batchWriter(settings.reference),
): AskAtOnce {
  const headers = environmentHeaders(settings.environment);
  const hasCredentials = settings.auth !== undefined || 'authorization' in settings.headers;
  return async (questions, signal = closing) => {
    const body = writer.body(questions);
    const outcome = await send({ method: 'POST', path: BATCH_PATH, headers, body, repeatable: true, signal });
    return outcome.kind === 'reply' ? answersOf(settings.url, outcome, questions, hasCredentials) : outcome;
  };
}

/**
 * A check is an evaluation of an empty flag key, which Flipt answers with NOT_FOUND for any valid token of the namespace.
 * It would reject an empty batch with a token of a namespace.
 */
export function healthCheck(askAtOnce: AskAtOnce, namespace: string): HealthCheck {
  const question = questionOf(namespace, '', { entity: '', names: [], texts: [] });
  return async () => {
    const outcome = await askAtOnce([question]);
    if (isFailure(outcome)) return outcome;
    const [answer] = outcome;
    return answer?.kind === 'failed' && answer.failure.kind !== 'item' ? answer.failure : undefined;
  };
}

export const BATCH_PATH = '/evaluate/v1/batch';

/** Writes the JSON bodies of requests that contain a batch of questions. */
export interface BatchWriter {
  readonly body: (questions: readonly Question[]) => string;
  readonly sizes: QuestionSizes;
}

/**
 * Makes a writer for the bodies of batch requests. The writer turns each question into JSON only once, because
 * measuring and sending use the same text.
 */
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

/**
 * Writes a question as a JSON item of a batch. Lone surrogates, which UTF-8 cannot express, are replaced with U+FFFD.
 */
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
 * Replaces the escapes of lone surrogates in a JSON text. `JSON.stringify` writes a lone surrogate as an escape. The
 * regular expression skips escaped backslashes, so that it finds only real escapes.
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
