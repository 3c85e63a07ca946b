import { subjectReader } from '../mapping/question-key.js';
import { oversized } from '../../remote/batch/request-size.js';
import { withRetries } from '../../http/retries.js';
import type { Send } from '../../http/reply.js';
import {
  failed,
  failedResolution,
  isFailure,
  questionOf,
  UNANSWERED,
  type Answer,
  type Question,
} from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSettings } from '../../options/settings.js';
import { batchSender, batchWriter } from '../../remote/wire/batch-request.js';
import type { Runtime } from '../../model/runtime.js';
import { orLate } from '../../base/time/in-time.js';
import { CLOSED } from '../mapping/openfeature-errors.js';
import { type OddAttribute } from '../mapping/attribute-text.js';
import type { Resolve } from '../resolve-remotely.js';

/** How to ask, and who learns of it. */
interface Asking {
  readonly send: Send;
  /** Ends all requests. */
  readonly closing: AbortSignal;
  /** Milliseconds that a question may take. */
  readonly withinMs: number;
  readonly odd: OddAttribute;
  /** Gets each answer, and gives the one to use: the snapshot may know better. */
  readonly answered: (question: Question, answer: Answer) => Answer;
}

/** Asks Flipt in a request of its own, which ends with its caller. */
export function askingAlone(
  { send, closing, withinMs, odd, answered }: Asking,
  settings: ProviderSettings,
  runtime: Runtime,
): Resolve {
  const { clock } = runtime;
  const { namespace, reference, attributes, targetingKey, http, batch } = settings;
  const subjectOf = subjectReader(attributes, targetingKey, odd);
  const writer = batchWriter(reference);
  const limits = { ...batch, sizes: writer.sizes };
  const askAtOnce = batchSender(
    withRetries(send, { retries: http.retries, withinMs }, runtime),
    settings,
    closing,
    writer,
  );

  const late: Failure = {
    kind: 'deadline',
    message: `no answer from Flipt within ${withinMs} ms (half of deadlineMs)`,
  };

  const ask = async (question: Question): Promise<Answer> => {
    if (closing.aborted) return failed(CLOSED);
    const ending = new AbortController();
    const end = () => {
      ending.abort();
    };
    closing.addEventListener('abort', end);
    const outcome = await orLate(askAtOnce([question], ending.signal), withinMs, clock);
    closing.removeEventListener('abort', end);
    end();
    if (outcome === 'late') return failed(late);
    return isFailure(outcome) ? failed(outcome) : (outcome[0] ?? failed(UNANSWERED));
  };

  return (flag, context) => {
    const subject = subjectOf(context);
    if ('kind' in subject) return failedResolution(subject);
    const question = questionOf(namespace, flag, subject);
    const refused: Failure | undefined = oversized(question, limits);
    if (refused !== undefined) return failedResolution(refused);
    return ask(question).then((answer) => ({
      answer: answered(question, answer),
      source: 'service',
      ageMs: 0,
      stale: false,
    }));
  };
}
