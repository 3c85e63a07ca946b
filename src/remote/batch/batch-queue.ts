import type { Question, QuestionSizes } from '../../model/answer.js';
import { Deque } from './deque.js';
import type { PendingQuestion } from './pending-question.js';

/** A question (a flag and a context) that waits to be sent to Flipt. */
export interface Waiting extends PendingQuestion {
  readonly bytes: number;
  /** The time at which the question was added to the queue, in milliseconds of `clock.now()`. */
  readonly askedAt: number;
}

/**
 * A lane is a group of waiting questions that can be sent together. Questions of different lanes are never sent in the
 * same request.
 */
export interface Lane {
  readonly name: string;
  /**
   * Is `true` if the lane contains only the questions of one suspect, which is a question or a flag that has made a
   * request fail. The queue sends the requests about one suspect one after the other. Requests about suspects count as
   * extra requests.
   */
  readonly apart: boolean;
}

/** The limits of one request. */
export interface RequestSize {
  /** The largest number of questions in a request. */
  readonly maxItems: number;
  /** The largest number of bytes in the whole body of a request. */
  readonly maxBytes: number;
  readonly sizes: QuestionSizes;
}

/** The settings of the option `batch`. */
export interface BatchSettings extends RequestSize {
  /**
   * The largest number of requests for evaluations that are under way at once. Extra requests do not count towards this
   * limit: requests that send parts of a failed batch again, or that send suspects (questions and flags that made a batch
   * fail).
   */
  readonly maxConcurrent: number;
  /** The largest number of questions that can wait to be sent. */
  readonly maxWaiting: number;
}

/**
 * The functions that the queue calls to decide which questions the next request contains. Each result is valid only at
 * the moment of the call.
 */
export interface Decisions {
  /** Returns `true` if a request with questions of this lane can be sent now. */
  maySend(lane: Lane): boolean;
  /** Returns `true` if the question's deadline has passed, or would probably pass before Flipt's response. */
  isLate(waiting: Waiting, lane: Lane): boolean;
  /**
   * Returns `true` if the newest questions of a lane are to be sent first. `oldest` is the oldest question of the lane.
   */
  newestFirst(oldest: Waiting): boolean;
}

/** The questions of the next request. */
export interface Taken {
  readonly lane: Lane;
  /** The questions to send. The list can be empty, for example if all questions of the lane were late. */
  readonly batch: readonly Waiting[];
  /** Late questions, which the queue found while it filled the request, and which are not sent. */
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

  /** The number of questions that wait to be sent. */
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

  /**
   * Removes late questions from the beginning of each lane, where the oldest questions usually are, and returns the
   * late questions.
   */
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

  /**
   * Takes the questions of the next request from one lane. The next call of `take` first looks at the other lanes.
   * Returns `undefined` if no lane has questions, or if no lane with questions is allowed to send a request now.
   */
  take(decisions: Decisions): Taken | undefined {
    for (const lane of this.lanes.values()) {
      if (!decisions.maySend(lane)) continue;
      const taken = this.takeFrom(lane, decisions);
      // The lane moves to the end of the map, so that the next request takes its questions from another lane, if there
      // is one.
      this.lanes.delete(lane.name);
      if (lane.waiting.size > 0) this.lanes.set(lane.name, lane);
      if (taken.batch.length > 0 || taken.late.length > 0) return taken;
    }
    return undefined;
  }

  /**
   * Takes as many questions from one lane as fit into the next request. A question that has come to belong to another
   * lane while it waited moves to that lane.
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
