import { failed, type Answer, type Ask } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import { failEach } from './pending-question.js';
import type { Isolation } from './isolation.js';
import { oversized, queueFull, tooLate } from './question-limits.js';
import { requestsUnderWay } from './requests-under-way.js';
import { waitingQueue, type BatchSettings, type Taken, type Waiting } from './batch-queue.js';

export interface Batched {
  readonly ask: Ask;
  /** Answers everything that waits, and all later questions, with this failure. */
  readonly close: (failure: Failure) => void;
  /** How many questions wait. */
  readonly waiting: () => number;
}

/**
 * Collects questions into requests. A request takes the questions of one turn of the event loop, because calls that
 * arrive together are handled in one turn, but in several ticks of promises. It also takes those that arrived while
 * `maxConcurrent` requests were under way.
 */
export function batched(isolation: Isolation, settings: BatchSettings, runtime: Runtime): Batched {
  const { clock, report, wants } = runtime;
  const { sizes, maxWaiting } = settings;
  const queue = waitingQueue(settings, (question) => isolation.laneOf(question));
  const requests = requestsUnderWay(
    settings.maxConcurrent,
    (sentAt) => isolation.hasAnsweredSince(sentAt),
    clock,
  );
  let scheduled = false;
  let closed: Failure | undefined;

  /** Fails questions that are late, so that others are in time: these, or those at the head of each lane. */
  const shed = (late = queue.takeLate(requests.isLate)) => {
    if (late.length > 0) failEach(late, tooLate(late.length, queue.size(), requests.limit(), report));
  };
  const schedule = () => {
    if (scheduled || queue.size() === 0 || requests.isFull()) return;
    scheduled = true;
    // Requests that arrived together have asked all their questions only at the end of the turn.
    clock.endOfTurn(() => {
      scheduled = false;
      shed();
      const late: Waiting[] = [];
      for (let taken = queue.take(requests); taken !== undefined; taken = queue.take(requests)) {
        for (const one of taken.late) late.push(one);
        if (taken.batch.length > 0) sendBatch(taken);
      }
      shed(late);
    });
  };

  const sendBatch = ({ lane, batch }: Taken) => {
    const ended = requests.begin(lane);
    if (wants['batch-sent']) {
      const bytes = batch.reduce((sum, one) => sum + one.bytes, sizes.empty);
      report({ type: 'batch-sent', items: batch.length, bytes });
    }
    void isolation.send(batch, lane).then((outcome) => {
      ended(outcome);
      schedule();
    });
  };

  const crowded = () => {
    if (queue.size() >= maxWaiting) shed();
    return queue.size() < maxWaiting ? undefined : queueFull(maxWaiting, report);
  };
  const ask: Ask = (question, deadline = () => Infinity) => {
    const refused = closed ?? oversized(question, settings) ?? crowded();
    if (refused !== undefined) return Promise.resolve(failed(refused));
    return new Promise<Answer>((answer) => {
      queue.add({ question, bytes: sizes.of(question), deadline, askedAt: clock.now(), answer });
      schedule();
    });
  };

  return {
    ask,
    close(failure) {
      closed = failure;
      const all = queue.takeLate(() => true);
      failEach(all, failure);
    },
    waiting: queue.size,
  };
}
