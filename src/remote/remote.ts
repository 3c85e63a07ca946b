import type { AskAtOnce } from '../model/answer.js';
import type { Question } from '../model/question.js';
import { environmentHeaders, type Send } from '../http/reply.js';
import { answersOf, batchBody, BATCH_PATH, itemText } from './batch-wire.js';

export interface RemoteSettings {
  readonly url: string;
  readonly environment: string | undefined;
  readonly reference: string | undefined;
}

/** Sends questions to the service in one request. A request without a signal of its own is ended by `closing`. */
export function remote(
  send: Send,
  settings: RemoteSettings,
  closing: AbortSignal,
  textOf: (question: Question) => string = itemText,
): AskAtOnce {
  const headers = environmentHeaders(settings.environment);
  return async (questions, signal = closing) => {
    const body = batchBody(questions.map(textOf), settings.reference);
    const outcome = await send({ method: 'POST', path: BATCH_PATH, headers, body, repeatable: true, signal });
    return outcome.kind === 'reply' ? answersOf(settings.url, outcome, questions) : outcome;
  };
}

/**
 * Bytes of a request's body in UTF-8. `empty`: without questions, less the comma that the first question does not have.
 * `of`: what one question adds.
 */
export function bodySizes(
  reference: string | undefined,
  textOf: (question: Question) => string = itemText,
): {
  readonly empty: number;
  readonly of: (question: Question) => number;
} {
  return {
    empty: Buffer.byteLength(batchBody([], reference)) - 1,
    of: (question) => Buffer.byteLength(textOf(question)) + 1,
  };
}
