import { createHash } from 'node:crypto';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Question } from '../../model/answer.js';
import type { Clock } from '../../time/clock.js';
import type { QuestionLane } from '../batch-queue.js';

/** For how long a question or a flag that spoilt a batch is sent apart from the others. */
const BLAMED_FOR_MS = 30_000;
/** After that, for so long, the next question about a blamed flag tests it. If no question comes, the blame ends. */
const TESTED_WITHIN_MS = 30_000;
/** Most questions and flags that are remembered. The oldest are forgotten first. */
const MAX_BLAMED = 1_000;
/**
 * A flag may be blamed for several of its questions. So often, its questions are asked in parts, to see which are fine.
 */
const SEARCHED_EVERY_MS = 1_000;
/** After so many blamed questions about one flag, with no answer about it in between, the whole flag is blamed. */
const BROKEN_FLAG = 3;

interface Blame {
  /** From then on, a blamed flag is tested. */
  readonly until: number;
  readonly endsAt: number;
  /** Of a flag whose questions were blamed one by one: an answer to any of its questions disproves the blame. */
  readonly byQuestions: boolean;
  /** When questions about the flag were last asked in parts. */
  searchedAt: number;
}

/** Remembers, for a while, which questions and flags have spoilt a batch. */
export function rememberedSuspects(clock: Clock) {
  /** By the flag, or by the question's digest. */
  const blames = ending<Blame>(clock);
  /** By the flag: how many of its questions were blamed since its last answer. Holds as long as the last of them. */
  const inARow = ending<{ count: number; readonly endsAt: number }>(clock);
  /** By the flag: it was blamed for several questions, but another one was answered. Each is blamed by itself then. */
  const disproved = ending<{ readonly endsAt: number }>(clock);
  /** When the last blame ends. */
  let lastEndsAt = 0;

  /** Whether there are no blames. They are forgotten together. */
  const isEmpty = () => {
    // Nothing is blamed for most of the time. Clearing an empty map, or reading the clock, would be the largest cost.
    if (!blames.isEmpty() && clock.now() >= lastEndsAt)
      for (const each of [blames, inARow, disproved]) each.clear();
    return blames.isEmpty();
  };
  const blameAs = (name: string, testedMs: number, byQuestions: boolean) => {
    const until = clock.now() + BLAMED_FOR_MS;
    lastEndsAt = Math.max(lastEndsAt, until + testedMs);
    blames.add(name, { until, endsAt: until + testedMs, byQuestions, searchedAt: -Infinity });
  };

  return {
    /** The lane of its own that a suspect has; `undefined` if nothing is known against the question. */
    laneOf(question: Question): QuestionLane | undefined {
      if (isEmpty()) return undefined;
      const flag = flagOf(question);
      const broken = blames.get(flag);
      if (broken !== undefined) return laneApart(flag, clock.now() >= broken.until);
      // A digest of every question would cost too much, and most flags have no blamed question.
      if (inARow.get(flag) === undefined) return undefined;
      const name = nameOf(question);
      return blames.get(name) && laneApart(name);
    },
    /** Whether the question, or its flag for everybody, has spoilt a batch. */
    isBlamed(question: Question): boolean {
      if (isEmpty()) return false;
      const flag = blames.get(flagOf(question));
      return (flag !== undefined && !flag.byQuestions) || blames.get(nameOf(question)) !== undefined;
    },
    /** Whether to search for the questions to blame among those about this flag, which have spoilt their batch. */
    maySearch(question: Question): boolean {
      const blame = blames.get(flagOf(question));
      const now = clock.now();
      if (blame?.byQuestions !== true || now - blame.searchedAt < SEARCHED_EVERY_MS) return false;
      blame.searchedAt = now;
      return true;
    },
    /** Blames the question for this failure, or its flag for everybody. Default: as the failure {@link blamesFlag}. */
    blame: (question: Question, failure: Failure, isForEverybody = blamesFlag(failure)) => {
      const flag = flagOf(question);
      if (isForEverybody) {
        blameAs(flag, TESTED_WITHIN_MS, false);
        return;
      }
      const count = (inARow.get(flag)?.count ?? 0) + 1;
      blameAs(nameOf(question), 0, false);
      inARow.add(flag, { count, endsAt: clock.now() + BLAMED_FOR_MS });
      if (count >= BROKEN_FLAG && !disproved.get(flag)) blameAs(flag, TESTED_WITHIN_MS, true);
    },
    /** The service has answered the question. */
    answered(question: Question) {
      if (isEmpty()) return;
      const flag = flagOf(question);
      const last = inARow.get(flag);
      if (last !== undefined) last.count = 0;
      const broken = blames.get(flag);
      // After the blame, the answer is that of the test.
      if (broken === undefined || (!broken.byQuestions && clock.now() < broken.until)) return;
      blames.delete(flag);
      if (broken.byQuestions) disproved.add(flag, { endsAt: clock.now() + BLAMED_FOR_MS });
    },
    /** How many questions and flags are blamed. */
    size: blames.size,
  };
}

export type Suspects = ReturnType<typeof rememberedSuspects>;

/** Values by name, each until it ends. Of too many, the oldest goes. */
function ending<Value extends { readonly endsAt: number }>(clock: Clock) {
  const values = new Map<string, Value>();
  const get = (name: string) => {
    const value = values.get(name);
    return value !== undefined && clock.now() < value.endsAt ? value : undefined;
  };
  return {
    get,
    add: (name: string, value: Value) => {
      values.delete(name);
      const [oldest] = values.keys();
      if (values.size >= MAX_BLAMED && oldest !== undefined) values.delete(oldest);
      values.set(name, value);
    },
    delete: (name: string) => void values.delete(name),
    clear: () => {
      values.clear();
    },
    /** Values that have ended count, too. */
    isEmpty: () => values.size === 0,
    size: () => [...values.keys()].filter(get).length,
  };
}

/**
 * Whether the flag is to blame for every entity, and not only this question. Until another request has succeeded, the
 * service may also be the cause.
 */
export function blamesFlag(failure: Failure): boolean {
  return policyOf(failure).countsForCircuit === 'if-a-check-fails';
}

function laneApart(name: string, tests = false): QuestionLane {
  return { name: `suspect ${name}`, apart: true, tests };
}

function flagOf({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/** The digest stands for the question, which may be as large as a request. */
function nameOf(question: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
