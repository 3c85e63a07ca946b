import type { Question } from '../model/answer.js';
import { deque } from './deque.js';
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

export interface BatchSettings {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  /** The size of questions, in bytes of a request's body. */
  readonly sizes: { readonly empty: number; readonly of: (question: Question) => number };
}

/** What the queue asks before it fills the next request. The answers hold for this moment. */
export interface Decisions {
  readonly maySend: (lane: Lane) => boolean;
  /** Whether no response can come before the question's callers have given up. */
  readonly isLate: (waiting: Waiting, lane: Lane) => boolean;
  readonly newestFirst: (oldest: Waiting) => boolean;
}

export interface Taken {
  readonly lane: Lane;
  /** Empty if all that the lane held was late. */
  readonly batch: readonly Waiting[];
  /** Questions that were met on the way, and are not sent. */
  readonly late: readonly Waiting[];
}

interface FilledLane extends Lane {
  readonly waiting: ReturnType<typeof deque<Waiting>>;
}

/** How large a request may be. */
type RequestSize = Pick<BatchSettings, 'maxItems' | 'maxBytes' | 'sizes'>;

/** Owns the questions that wait. */
export function waitingQueue(settings: RequestSize, laneOf: (question: Question) => Lane) {
  const { maxItems, maxBytes, sizes } = settings;
  const lanes = new Map<string, FilledLane>();
  let size = 0;

  const add = (one: Waiting) => {
    const { name, apart } = laneOf(one.question);
    let lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, (lane = { name, apart, waiting: deque() }));
    lane.waiting.push(one);
    size++;
  };

  /**
   * The questions of the next request from one lane, as many as fit. A question whose lane has changed moves to its new
   * lane.
   */
  const takeFrom = (lane: FilledLane, decisions: Decisions): Taken => {
    const { waiting } = lane;
    const oldest = waiting.first();
    const newestFirst = oldest !== undefined && decisions.newestFirst(oldest);
    const [look, take] = newestFirst
      ? ([waiting.last, waiting.takeLast] as const)
      : ([waiting.first, waiting.takeFirst] as const);
    const batch: Waiting[] = [];
    const late: Waiting[] = [];
    let bytes = sizes.empty;
    for (let one = look(); one !== undefined && batch.length < maxItems; one = look()) {
      const stays = laneOf(one.question).name === lane.name;
      const isLate = stays && decisions.isLate(one, lane);
      if (stays && !isLate && batch.length > 0 && bytes + one.bytes > maxBytes) break;
      take();
      size--;
      if (!stays) add(one);
      else if (isLate) late.push(one);
      else {
        batch.push(one);
        bytes += one.bytes;
      }
    }
    return { lane, batch, late };
  };

  return {
    size: () => size,
    add,
    /** Removes late questions from the head of each lane, where the oldest ones are. */
    takeLate(isLate: Decisions['isLate']): readonly Waiting[] {
      const late: Waiting[] = [];
      for (const lane of lanes.values()) {
        const { waiting } = lane;
        for (let one = waiting.first(); one !== undefined && isLate(one, lane); one = waiting.first()) {
          waiting.takeFirst();
          size--;
          late.push(one);
        }
        if (waiting.size() === 0) lanes.delete(lane.name);
      }
      return late;
    },
    /** Takes the questions of the next request; the lanes take turns. */
    take(decisions: Decisions): Taken | undefined {
      for (const lane of lanes.values()) {
        if (!decisions.maySend(lane)) continue;
        const taken = takeFrom(lane, decisions);
        // To the end of the lanes, so that the other lanes get their turn.
        lanes.delete(lane.name);
        if (lane.waiting.size() > 0) lanes.set(lane.name, lane);
        if (taken.batch.length > 0 || taken.late.length > 0) return taken;
      }
      return undefined;
    },
  };
}
