import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { failed, isFailure, type Answer, type Ask, type Deadline } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { failEach } from './pending-question.js';
import { afterTimeout, fullConcurrency, limitAt } from './concurrency.js';
import type { Isolated } from './isolate.js';
import { leastMs, noTimes, usualMs, withDuration } from './response-times.js';
import { tooLarge } from './too-large.js';
import { waitingQueue, type Decisions, type Taken, type Waiting } from './batch-queue.js';

/** Requests about suspects that may be under way at once, in addition to `maxConcurrent`. */
const MAX_APART = 4;

export interface BatchSettings {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
}

/** The size of questions, in bytes of a request's body. */
export interface Sizes {
  readonly empty: number;
  readonly of: (question: Question) => number;
}

export interface Batched {
  readonly ask: Ask;
  /** Answers everything that waits, and all later questions, with this failure. */
  readonly close: (failure: Failure) => void;
  /** How many questions wait. */
  readonly waiting: () => number;
}

/**
 * Collects questions into requests of many questions. A request takes the questions of one turn of the event loop, and
 * those that arrived while `maxConcurrent` requests were under way. Under overload it serves the callers that can still
 * be served in time, and sheds the others.
 */
export function batched(
  { send, routeOf }: Isolated,
  settings: BatchSettings,
  sizes: Sizes,
  clock: Clock,
  { report, wants }: Reporter,
): Batched {
  const { maxBytes, maxConcurrent, maxWaiting } = settings;
  const queue = waitingQueue({ ...settings, emptyBytes: sizes.empty }, routeOf);
  /** Lanes of suspects with a request under way. */
  const apart = new Set<string>();
  let underWay = 0;
  let concurrency = fullConcurrency(maxConcurrent);
  let times = noTimes;
  let scheduled = false;
  let closed: Failure | undefined;

  const limit = () => limitAt(concurrency, maxConcurrent, clock.now());

  const decisions: Decisions = {
    maySend: ({ name, apart: isApart }) =>
      isApart ? apart.size < MAX_APART && !apart.has(name) : underWay < limit(),
    isLate: ({ deadline }, lane) => {
      const left = deadline() - clock.now();
      // With no request under way, one is always sent: only a request can show that the service has become faster.
      const needed = lane.apart || underWay === 0 ? 0 : leastMs(times);
      return left <= 0 || left < needed;
    },
    // If the oldest went first, every question would be just too late. The newest have the most time left.
    newestFirst: ({ askedAt }) => clock.now() - askedAt > (usualMs(times) ?? Infinity),
  };

  const shed = (late: readonly Waiting[]) => {
    if (late.length === 0) return;
    const failure = overload(queue.size() + late.length, limit());
    failEach(late, failure);
    report({ type: 'shed', reason: 'late', questions: late.length, failure });
  };

  const schedule = () => {
    if (scheduled || queue.size() === 0) return;
    if (underWay >= limit() && apart.size >= MAX_APART) return;
    scheduled = true;
    // Requests that arrived together have asked all their questions only at the end of the turn.
    clock.endOfTurn(() => {
      scheduled = false;
      shed(queue.takeLate(decisions));
      const late: Waiting[] = [];
      for (
        let taken = queue.take(decisions, late);
        taken !== undefined;
        taken = queue.take(decisions, late)
      ) {
        sendBatch(taken);
      }
      shed(late);
    });
  };

  const sendBatch = ({ lane, batch }: Taken) => {
    const sentAt = clock.now();
    if (lane.apart) apart.add(lane.name);
    else underWay++;
    if (wants['batch-sent']) {
      const bytes = batch.reduce((sum, one) => sum + one.bytes, sizes.empty);
      report({ type: 'batch-sent', items: batch.length, bytes });
    }
    void send(batch).then((outcome) => {
      if (lane.apart) apart.delete(lane.name);
      else ended(outcome, sentAt);
      schedule();
    });
  };

  const ended = (outcome: readonly Answer[] | Failure, sentAt: number) => {
    underWay--;
    const now = clock.now();
    const timedOut = isFailure(outcome) && outcome.kind === 'timeout';
    // Another failure may come at once, so it does not show how long an answer takes.
    if (timedOut || !isFailure(outcome)) times = withDuration(times, now - sentAt);
    if (timedOut) concurrency = afterTimeout(concurrency, maxConcurrent, sentAt, now);
  };

  const ask: Ask = (question, deadline: Deadline = () => Infinity) => {
    if (closed !== undefined) return Promise.resolve(failed(closed));
    const bytes = sizes.of(question);
    if (sizes.empty + bytes > maxBytes)
      return Promise.resolve(failed(tooLarge(question, sizes.empty + bytes, maxBytes)));
    if (queue.size() >= maxWaiting) shed(queue.takeLate(decisions));
    if (queue.size() >= maxWaiting) {
      const failure = full(maxWaiting);
      report({ type: 'shed', reason: 'queue-full', questions: 1, failure });
      return Promise.resolve(failed(failure));
    }
    return new Promise<Answer>((answer) => {
      queue.add({ question, bytes, deadline, askedAt: clock.now(), answer });
      schedule();
    });
  };

  return {
    ask,
    close(failure) {
      closed = failure;
      failEach(queue.takeAll(), failure);
    },
    waiting: queue.size,
  };
}

function full(maxWaiting: number): Failure {
  return {
    kind: 'overload',
    message: `overload: ${maxWaiting} questions wait for Flipt already (batch.maxWaiting)`,
  };
}

function overload(waiting: number, limit: number): Failure {
  return {
    kind: 'overload',
    message:
      `overload: ${waiting} questions wait for Flipt, which answers ${limit} requests at once (batch.maxConcurrent) ` +
      'too slowly to answer all of them by their deadlines (deadlineMs)',
  };
}
