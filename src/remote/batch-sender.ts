import type { AskAtOnce } from '../model/answer.js';
import type { ConnectionSettings } from '../options/settings.js';
import { environmentHeaders, type Send } from '../http/reply.js';
import { answersOf } from './batch-answers.js';
import { BATCH_PATH, batchWriter } from './batch-body.js';

/** Sends questions to the service in one request. A request without a signal of its own is ended by `closing`. */
export function batchSender(
  send: Send,
  settings: Pick<ConnectionSettings, 'url' | 'environment' | 'reference'>,
  closing: AbortSignal,
  writer = batchWriter(settings.reference),
): AskAtOnce {
  const headers = environmentHeaders(settings.environment);
  return async (questions, signal = closing) => {
    const body = writer.body(questions);
    const outcome = await send({ method: 'POST', path: BATCH_PATH, headers, body, repeatable: true, signal });
    return outcome.kind === 'reply' ? answersOf(settings.url, outcome, questions) : outcome;
  };
}
