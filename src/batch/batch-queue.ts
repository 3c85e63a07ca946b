import type { Question } from '../model/question.js';
import type { PendingQuestion } from './pending-question.js';
import { deque, type Deque } from './deque.js';

/** A question that has not been sent. */
export interface Waiting extends PendingQuestion {
  readonly bytes: number;
  /** The clock's milliseconds. */
  readonly askedAt: number;
}

/** Questions of one lane may share a request. */
export interface Lane {
  readonly name: string;
  /** Holds suspects only: their requests are extra ones, one at a time. */
  readonly apart: boolean;
}

/**
 * The lane of a question. `tests`: the question's blame has expired, so it is sent alone to test whether it still
 * spoils a request.
 */
export interface QuestionLane extends Lane {
  readonly tests: boolean;
}

export interface Limits {
  readonly maxItems: number;
  readonly maxBytes: number;
  /** Bytes of a request without questions. */
  readonly emptyBytes: number;
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
  readonly batch: readonly Waiting[];
}

/** Owns the questions that wait. */
export interface Queue {
  readonly size: () => number;
  readonly add: (waiting: Waiting) => void;
  /** Removes late questions from the head of each lane, where the oldest ones are. */
  readonly takeLate: (decisions: Decisions) => readonly Waiting[];
  /**
   * Takes the questions of the next request; the lanes take turns. Adds to `late` the late questions that it meets on
   * the way.
   */
  readonly take: (decisions: Decisions, late: Waiting[]) => Taken | undefined;
  readonly takeAll: () => readonly Waiting[];
}

interface FilledLane extends Lane {
  readonly waiting: Deque<Waiting>;
}

export function waitingQueue(limits: Limits, routeOf: (question: Question) => QuestionLane): Queue {
  const lanes = new Map<string, FilledLane>();
  let size = 0;

  const add = (one: Waiting) => {
    const { name, apart } = routeOf(one.question);
    let lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, (lane = { name, apart, waiting: deque() }));
    lane.waiting.push(one);
    size++;
  };

  /**
   * The questions of the next request from one lane, as many as fit. A question whose lane has changed moves to its new
   * lane.
   */
  const takeFrom = (lane: FilledLane, decisions: Decisions, late: Waiting[]): readonly Waiting[] => {
    const { waiting } = lane;
    const oldest = waiting.first();
    const newestFirst = oldest !== undefined && decisions.newestFirst(oldest);
    const [look, take] = newestFirst
      ? ([waiting.last, waiting.takeLast] as const)
      : ([waiting.first, waiting.takeFirst] as const);
    const batch: Waiting[] = [];
    let bytes = limits.emptyBytes;
    let most = limits.maxItems;
    for (let one = look(); one !== undefined && batch.length < most; one = look()) {
      const route = routeOf(one.question);
      if (route.name !== lane.name) {
        take();
        size--;
        add(one);
      } else if (decisions.isLate(one, lane)) {
        take();
        size--;
        late.push(one);
      } else {
        if (batch.length > 0 && bytes + one.bytes > limits.maxBytes) break;
        take();
        size--;
        batch.push(one);
        bytes += one.bytes;
        if (route.tests) most = 1;
      }
    }
    return batch;
  };

  return {
    size: () => size,
    add,
    takeLate(decisions) {
      const late: Waiting[] = [];
      for (const lane of lanes.values()) {
        const { waiting } = lane;
        for (let one = waiting.first(); one !== undefined; one = waiting.first()) {
          if (!decisions.isLate(one, lane)) break;
          waiting.takeFirst();
          size--;
          late.push(one);
        }
        if (waiting.size() === 0) lanes.delete(lane.name);
      }
      return late;
    },
    take(decisions, late) {
      for (const lane of lanes.values()) {
        if (!decisions.maySend(lane)) continue;
        const batch = takeFrom(lane, decisions, late);
        // To the end of the lanes, so that the other lanes get their turn.
        lanes.delete(lane.name);
        if (lane.waiting.size() > 0) lanes.set(lane.name, lane);
        if (batch.length > 0) return { lane, batch };
      }
      return undefined;
    },
    takeAll() {
      const all = [...lanes.values()].flatMap(({ waiting }) => drained(waiting));
      lanes.clear();
      size = 0;
      return all;
    },
  };
}

function drained<T>(items: Deque<T>): readonly T[] {
  const all: T[] = [];
  for (let item = items.takeFirst(); item !== undefined; item = items.takeFirst()) all.push(item);
  return all;
}
