import type { Question, QuestionSizes } from '../../model/answer.js';
import { Deque } from './deque.js';
import type { PendingQuestion } from './pending-question.js';

/** A question that has not been sent. */
export interface Waiting extends PendingQuestion {
  readonly bytes: number;
  /** The clock's milliseconds. */
  readonly askedAt: number;
}

/** Questions of one lane may share a request. */
export interface Lane {
  readonly name: string;
  /** Holds a suspect only: its requests are extra ones, one at a time. */
  readonly apart: boolean;
}

/** How large a request may be. */
export interface RequestSize {
  /** Questions. */
  readonly maxItems: number;
  /** Bytes of the whole body. */
  readonly maxBytes: number;
  readonly sizes: QuestionSizes;
}

/** The option `batch`. */
export interface BatchSettings extends RequestSize {
  /** Requests at once, without those about suspects. */
  readonly maxConcurrent: number;
  /** Questions that may wait. */
  readonly maxWaiting: number;
}

/** What the queue asks before it fills the next request. The answers hold for this moment. */
export interface Decisions {
  /** Whether a request of this lane may be sent. */
  maySend(lane: Lane): boolean;
  /** Whether no response can come before the question's callers have given up. */
  isLate(waiting: Waiting, lane: Lane): boolean;
  /** Whether the newest questions of a lane go first, whose oldest one is given. */
  newestFirst(oldest: Waiting): boolean;
}

/** The questions of the next request. */
export interface Taken {
  readonly lane: Lane;
  /** Empty if all that the lane held was late. */
  readonly batch: readonly Waiting[];
  /** Questions that were met on the way, and are not sent. */
  readonly late: readonly Waiting[];
}

interface FilledLane extends Lane {
  readonly waiting: Deque<Waiting>;
}

/** Owns the questions that wait. */
export class WaitingQueue {
  private readonly lanes = new Map<string, FilledLane>();
  private waiting = 0;

  constructor(
    private readonly limits: RequestSize,
    private readonly laneOf: (question: Question) => Lane,
  ) {}

  /** How many wait. */
  get size(): number {
    return this.waiting;
  }

  add(one: Waiting): void {
    const { name, apart } = this.laneOf(one.question);
    let lane = this.lanes.get(name);
    if (lane === undefined) this.lanes.set(name, (lane = { name, apart, waiting: new Deque() }));
    lane.waiting.push(one);
    this.waiting++;
  }

  /** Removes late questions from the head of each lane, where the oldest ones are. */
  takeLate(isLate: Decisions['isLate']): readonly Waiting[] {
    const late: Waiting[] = [];
    for (const lane of this.lanes.values()) {
      const { waiting } = lane;
      for (let one = waiting.first(); one !== undefined && isLate(one, lane); one = waiting.first()) {
        waiting.takeFirst();
        this.waiting--;
        late.push(one);
      }
      if (waiting.size === 0) this.lanes.delete(lane.name);
    }
    return late;
  }

  /** Takes the questions of the next request; the lanes take turns. */
  take(decisions: Decisions): Taken | undefined {
    for (const lane of this.lanes.values()) {
      if (!decisions.maySend(lane)) continue;
      const taken = this.takeFrom(lane, decisions);
      // To the end of the lanes, so that the other lanes get their turn.
      this.lanes.delete(lane.name);
      if (lane.waiting.size > 0) this.lanes.set(lane.name, lane);
      if (taken.batch.length > 0 || taken.late.length > 0) return taken;
    }
    return undefined;
  }

  /**
   * The questions of the next request from one lane, as many as fit. A question whose lane has changed moves to its new
   * lane.
   */
  private takeFrom(lane: FilledLane, decisions: Decisions): Taken {
    const { maxItems, maxBytes, sizes } = this.limits;
    const { waiting } = lane;
    const oldest = waiting.first();
    const newestFirst = oldest !== undefined && decisions.newestFirst(oldest);
    const look = () => (newestFirst ? waiting.last() : waiting.first());
    const batch: Waiting[] = [];
    const late: Waiting[] = [];
    let bytes = sizes.empty;
    for (let one = look(); one !== undefined && batch.length < maxItems; one = look()) {
      const stays = this.laneOf(one.question).name === lane.name;
      const isLate = stays && decisions.isLate(one, lane);
      if (stays && !isLate && batch.length > 0 && bytes + one.bytes > maxBytes) break;
      if (newestFirst) waiting.takeLast();
      else waiting.takeFirst();
      this.waiting--;
      if (!stays) this.add(one);
      else if (isLate) late.push(one);
      else {
        batch.push(one);
        bytes += one.bytes;
      }
    }
    return { lane, batch, late };
  }
}
