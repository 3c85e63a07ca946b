import type { Clock } from '../clock.js';
import { failed, UNANSWERED, type Answer, type Ask } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import type { Isolated } from './isolate.js';
import { nextBatch, type Waiting } from './split.js';

export interface BatchSettings {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
}

/** What questions weigh, in bytes of a request's body. */
export interface Sizes {
  readonly empty: number;
  readonly of: (question: Question) => number;
}

export interface Batched {
  readonly ask: Ask;
  /** Answers everything that waits, and all that is asked later, with this failure. */
  readonly close: (failure: Failure) => void;
}

/**
 * Gathers what is asked in one turn of the event loop, and what is asked while `maxConcurrent` requests are
 * under way, into requests of many questions.
 */
export function batched(
  { askMany, laneOf }: Isolated,
  settings: BatchSettings,
  sizes: Sizes,
  clock: Clock,
): Batched {
  let waiting: Waiting[] = [];
  let underWay = 0;
  let scheduled = false;
  let closed: Failure | undefined;

  const schedule = () => {
    if (scheduled || waiting.length === 0 || underWay >= settings.maxConcurrent) return;
    scheduled = true;
    // Only at the end of the turn have all the requests that arrived together asked.
    clock.endOfTurn(() => {
      scheduled = false;
      while (waiting.length > 0 && underWay < settings.maxConcurrent) send();
    });
  };

  const send = () => {
    const { batch, rest } = nextBatch(waiting, settings, sizes.empty, laneOf);
    waiting = rest;
    underWay++;
    const questions = batch.map(({ question }) => question);
    // It never rejects; if it does all the same, nobody may wait for ever.
    const asked = askMany(questions).catch((error: unknown): readonly Answer[] =>
      questions.map(() => failed(defect(error))),
    );
    void asked.then((answers) => {
      underWay--;
      batch.forEach(({ answer }, at) => {
        answer(answers[at] ?? failed(UNANSWERED));
      });
      schedule();
    });
  };

  const ask: Ask = (question) => {
    if (closed !== undefined) return Promise.resolve(failed(closed));
    if (waiting.length >= settings.maxWaiting) return Promise.resolve(failed(overload(settings.maxWaiting)));
    return new Promise<Answer>((answer) => {
      waiting.push({ question, bytes: sizes.of(question), answer });
      schedule();
    });
  };

  return {
    ask,
    close(failure) {
      closed = failure;
      const left = waiting;
      waiting = [];
      for (const { answer } of left) answer(failed(failure));
    },
  };
}

function defect(error: unknown): Failure {
  return { kind: 'defect', message: `a defect of the Flipt provider, please report it: ${String(error)}` };
}

function overload(maxWaiting: number): Failure {
  return { kind: 'overload', message: `${maxWaiting} questions wait for Flipt already (batch.maxWaiting)` };
}
