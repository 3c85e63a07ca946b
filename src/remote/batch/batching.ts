import { failed, type Answer, type Ask } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { failEach } from './pending-question.js';
import type { Isolation } from './isolation.js';
import { queueFull, tooLate } from './overload.js';
import { oversized } from './request-size.js';
import { RequestsUnderWay } from './concurrency-limit.js';
import { WaitingQueue, type BatchSettings, type Taken, type Waiting } from './batch-queue.js';

/** Answers questions (each is a flag and a context) by sending them to Flipt in batches. */
export interface Batched {
  /**
   * Asks Flipt a question. `ask` must work without `this`, because other layers get only this function and not its
   * object.
   */
  readonly ask: Ask;
  /** Ends all waiting questions, and all questions that are asked after the close, with this failure. */
  close(failure: Failure): void;
  /** Returns the number of questions that wait to be sent. */
  waiting(): number;
}

/**
 * Collects questions (each is a flag and a context) into batches. A batch usually contains the questions of one turn of
 * the event loop, because Node.js handles calls that arrive together in one turn, although in several microtasks. While
 * as many requests are under way as the limit allows, new questions usually wait. The limit is `maxConcurrent`, or less
 * after a time-out.
 */
export class Batching implements Batched {
  private readonly queue: WaitingQueue;
  private readonly requests: RequestsUnderWay;
  private isScheduled = false;
  private closed: Failure | undefined;

  constructor(
    private readonly isolation: Isolation,
    private readonly settings: BatchSettings,
    private readonly runtime: Runtime,
  ) {
    this.queue = new WaitingQueue(settings, isolation);
    this.requests = new RequestsUnderWay(settings.maxConcurrent, isolation, runtime.clock);
  }

  readonly ask: Ask = (question, deadline = () => Infinity) => {
    const refused = this.closed ?? oversized(question, this.settings) ?? this.crowded();
    if (refused !== undefined) return Promise.resolve(failed(refused));
    return new Promise<Answer>((answer) => {
      const bytes = this.settings.sizes.of(question);
      this.queue.add({ question, bytes, deadline, askedAt: this.runtime.clock.now(), answer });
      this.schedule();
    });
  };

  close(failure: Failure): void {
    this.closed = failure;
    failEach(
      this.queue.takeLate(() => true),
      failure,
    );
  }

  waiting(): number {
    return this.queue.size;
  }

  private crowded(): Failure | undefined {
    const { maxWaiting } = this.settings;
    if (this.queue.size >= maxWaiting) this.shedLate();
    return this.queue.size < maxWaiting ? undefined : queueFull(maxWaiting, this.runtime.report);
  }

  private schedule(): void {
    if (this.isScheduled || this.queue.size === 0 || this.requests.isFull()) return;
    this.isScheduled = true;
    // The batch is sent at the end of this turn of the event loop, when all calls that arrived together have added
    // their questions.
    this.runtime.clock.endOfTurn(() => {
      this.isScheduled = false;
      this.sendAll();
    });
  }

  private sendAll(): void {
    const { queue, requests } = this;
    this.shedLate();
    const late: Waiting[] = [];
    for (let taken = queue.take(requests); taken !== undefined; taken = queue.take(requests)) {
      for (const one of taken.late) late.push(one);
      if (taken.batch.length > 0) void this.send(taken);
    }
    this.shed(late);
  }

  private async send({ lane, batch }: Taken): Promise<void> {
    const { wants, report } = this.runtime;
    const ended = this.requests.begin(lane);
    if (wants['batch-sent']) {
      const bytes = batch.reduce((sum, one) => sum + one.bytes, this.settings.sizes.empty);
      report({ type: 'batch-sent', items: batch.length, bytes });
    }
    ended(await this.isolation.send(batch, lane));
    this.schedule();
  }

  /**
   * Ends the late questions at the beginning of each lane with a failure, so that Flipt can answer the other questions
   * in time.
   */
  private shedLate(): void {
    this.shed(this.queue.takeLate((waiting, lane) => this.requests.isLate(waiting, lane)));
  }

  private shed(late: readonly Waiting[]): void {
    if (late.length === 0) return;
    failEach(late, tooLate(late.length, this.queue.size, this.requests.limit(), this.runtime.report));
  }
}
