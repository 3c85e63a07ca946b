import {
  failed,
  isFailure,
  type Answer,
  type Ask,
  type BatchOutcome,
  type Deadline,
} from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import { failEach } from './pending-question.js';
import { afterTimeout, fullConcurrency, limitAt } from './concurrency-limit.js';
import type { Isolated } from './isolate-culprits.js';
import { loadShedding } from './load-shedding.js';
import { oversized } from './oversized-question.js';
import { waitingQueue, type BatchSettings, type Decisions, type Taken, type Waiting } from './batch-queue.js';

/** Requests about suspects that may be under way at once, in addition to `maxConcurrent`. */
const MAX_APART = 4;

export interface Batched {
  readonly ask: Ask;
  /** Answers everything that waits, and all later questions, with this failure. */
  readonly close: (failure: Failure) => void;
  /** How many questions wait. */
  readonly waiting: () => number;
}

/**
 * Collects questions into requests of many questions. A request takes the questions of one turn of the event loop, and
 * those that arrived while `maxConcurrent` requests were under way. The turn, not the microtask queue: requests that
 * arrive together are handled in one turn, but in several ticks of promises.
 */
export function batched(
  { send, laneOf }: Isolated,
  settings: BatchSettings,
  { clock, report, wants }: Pick<Runtime, 'clock' | 'report' | 'wants'>,
): Batched {
  const { maxBytes, maxConcurrent, sizes } = settings;
  const queue = waitingQueue(settings, laneOf);
  /** Lanes of suspects with a request under way. */
  const apart = new Set<string>();
  let underWay = 0;
  let concurrency = fullConcurrency(maxConcurrent);
  /** When the last one of the answered requests was sent. */
  let answeredSentAt = -Infinity;
  let scheduled = false;
  let closed: Failure | undefined;

  const limit = () => limitAt(concurrency, maxConcurrent, clock.now());
  const requests = { underWay: () => underWay, limit };
  const shedding = loadShedding(queue, requests, settings, { clock, report });

  const decisions: Decisions = {
    ...shedding,
    maySend: ({ name, apart: isApart }) =>
      isApart ? apart.size < MAX_APART && !apart.has(name) : underWay < limit(),
  };

  const schedule = () => {
    if (scheduled || queue.size() === 0) return;
    if (underWay >= limit() && apart.size >= MAX_APART) return;
    scheduled = true;
    // Requests that arrived together have asked all their questions only at the end of the turn.
    clock.endOfTurn(() => {
      scheduled = false;
      shedding.shed();
      const late: Waiting[] = [];
      for (let taken = queue.take(decisions); taken !== undefined; taken = queue.take(decisions)) {
        for (const one of taken.late) late.push(one);
        if (taken.batch.length > 0) sendBatch(taken);
      }
      shedding.shed(late);
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

  const ended = (outcome: BatchOutcome, sentAt: number) => {
    underWay--;
    const now = clock.now();
    const timedOut = isFailure(outcome) && outcome.kind === 'timeout';
    // Another failure may come at once, so it does not show how long an answer takes.
    if (timedOut || !isFailure(outcome)) shedding.took(now - sentAt);
    if (!isFailure(outcome)) answeredSentAt = Math.max(answeredSentAt, sentAt);
    // If a later request was answered, this one did not wait for others.
    if (timedOut && sentAt >= answeredSentAt)
      concurrency = afterTimeout(concurrency, maxConcurrent, sentAt, now);
  };

  const ask: Ask = (question, deadline: Deadline = () => Infinity) => {
    if (closed !== undefined) return Promise.resolve(failed(closed));
    const bytes = sizes.of(question);
    if (sizes.empty + bytes > maxBytes)
      return Promise.resolve(failed(oversized(question, sizes.empty + bytes, maxBytes)));
    const refused = shedding.refusal();
    if (refused !== undefined) return Promise.resolve(failed(refused));
    return new Promise<Answer>((answer) => {
      queue.add({ question, bytes, deadline, askedAt: clock.now(), answer });
      schedule();
    });
  };

  return {
    ask,
    close(failure) {
      closed = failure;
      failEach(
        queue.takeLate(() => true),
        failure,
      );
    },
    waiting: queue.size,
  };
}
