import type { Question, QuestionSizes } from '../../model/answer.js';
import { Deque } from './deque.js';
import type { PendingQuestion } from './pending-question.js';

/** A question that has not been sent yet. */
export interface Waiting extends PendingQuestion {
  readonly bytes: number;
  /** When the question was asked, in the clock's milliseconds. */
  readonly askedAt: number;
}

/** A lane of waiting questions. Questions of one lane may share a request. */
export interface Lane {
  readonly name: string;
  /** Whether the lane holds a single suspect. Its requests count as extra ones and are sent one at a time. */
  readonly apart: boolean;
}

/** How large a request may be. */
export interface RequestSize {
  /** How many questions a request may have. */
  readonly maxItems: number;
  /** How many bytes its whole body may have. */
  readonly maxBytes: number;
  readonly sizes: QuestionSizes;
}

/** The settings of the option `batch`. */
export interface BatchSettings extends RequestSize {
  /** How many requests may be under way at once, not counting those about suspects. */
  readonly maxConcurrent: number;
  /** How many questions may wait. */
  readonly maxWaiting: number;
}

/** What the queue asks before it fills the next request. The answers hold only for this moment. */
export interface Decisions {
  /** Whether a request of this lane may be sent. */
  maySend(lane: Lane): boolean;
  /** Whether no response can come before the question's callers have given up. */
  isLate(waiting: Waiting, lane: Lane): boolean;
  /** Whether the newest questions of a lane go first. `oldest` is the oldest one of the lane. */
  newestFirst(oldest: Waiting): boolean;
}

/** The questions of the next request. */
export interface Taken {
  readonly lane: Lane;
  /** The questions to send; empty if all questions of the lane were late. */
  readonly batch: readonly Waiting[];
  /** Late questions that were found on the way, and are not sent. */
  readonly late: readonly Waiting[];
}

interface FilledLane extends Lane {
  readonly waiting: Deque<Waiting>;
}

/** Owns the questions that wait to be sent. */
export class WaitingQueue {
  private readonly lanes = new Map<string, FilledLane>();
  private waiting = 0;

  constructor(
    private readonly limits: RequestSize,
    private readonly lanesOf: { readonly laneOf: (question: Question) => Lane },
  ) {}

  /** How many questions wait. */
  get size(): number {
    return this.waiting;
  }

  add(one: Waiting): void {
    const { name, apart } = this.lanesOf.laneOf(one.question);
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

  /** Takes the questions of the next request. The lanes take turns. */
  take(decisions: Decisions): Taken | undefined {
    for (const lane of this.lanes.values()) {
      if (!decisions.maySend(lane)) continue;
      const taken = this.takeFrom(lane, decisions);
      // The lane moves to the end, so that the other lanes get their turn.
      this.lanes.delete(lane.name);
      if (lane.waiting.size > 0) this.lanes.set(lane.name, lane);
      if (taken.batch.length > 0 || taken.late.length > 0) return taken;
    }
    return undefined;
  }

  /**
   * Takes as many questions from one lane as fit into the next request. A question whose lane has changed moves to its
   * new lane.
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
      const stays = this.lanesOf.laneOf(one.question).name === lane.name;
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
