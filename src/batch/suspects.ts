import { createHash } from 'node:crypto';
import { policyOf } from '../model/failure-policy.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import type { Clock } from '../time/clock.js';
import type { QuestionLane } from './batch-queue.js';

/** For how long a question or a flag that spoilt a batch is sent apart from the others. */
const BLAMED_FOR_MS = 30_000;
/** After that, for so long, the next question about a blamed flag tests it. If no question comes, the blame ends. */
const TESTED_WITHIN_MS = 30_000;
/** Most questions and flags that are remembered. The oldest are forgotten first. */
const MAX_BLAMED = 1_000;
/** After so many blamed questions about one flag, with no answer about it in between, the whole flag is blamed. */
const BROKEN_FLAG = 3;

interface Blame {
  /** From then on, a blamed flag is tested. */
  readonly until: number;
  readonly endsAt: number;
  /** Of a flag whose questions were blamed one by one: an answer to any of its questions disproves the blame. */
  readonly byQuestions: boolean;
}

/** Remembers, for a while, which questions and flags have spoilt a batch. */
export function rememberedSuspects(clock: Clock) {
  /** By the flag, or by the question's digest. The oldest blame comes first. */
  const blames = new Map<string, Blame>();
  /** Of each flag with a blamed question: how many were blamed since its last answer. */
  const inARow = new Map<string, number>();
  /** When the last blame ends. */
  let lastEndsAt = 0;

  /** Whether all blames have ended. If so, they are forgotten. */
  const areOver = () => {
    if (clock.now() < lastEndsAt) return false;
    blames.clear();
    inARow.clear();
    return true;
  };
  const blameAs = (name: string, testedMs: number, byQuestions: boolean) => {
    const until = clock.now() + BLAMED_FOR_MS;
    lastEndsAt = Math.max(lastEndsAt, until + testedMs);
    remember(blames, name, { until, endsAt: until + testedMs, byQuestions });
  };
  const blameOf = (name: string) => {
    const blame = blames.get(name);
    return blame !== undefined && clock.now() < blame.endsAt ? blame : undefined;
  };

  return {
    /** The lane of its own that a suspect has; `undefined` if nothing is known against the question. */
    laneOf(question: Question): QuestionLane | undefined {
      if (areOver()) return undefined;
      const flag = flagOf(question);
      const broken = blameOf(flag);
      if (broken !== undefined) return laneApart(flag, clock.now() >= broken.until);
      // A digest of every question would cost too much, and most flags have no blamed question.
      if (!inARow.has(flag)) return undefined;
      const name = nameOf(question);
      return blameOf(name) && laneApart(name);
    },
    /** Blames the question for this failure, or its flag for everybody, if the failure {@link blamesFlag}. */
    blame: (question: Question, failure: Failure) => {
      const flag = flagOf(question);
      if (blamesFlag(failure)) {
        blameAs(flag, TESTED_WITHIN_MS, false);
        return;
      }
      const count = areOver() ? 1 : (inARow.get(flag) ?? 0) + 1;
      blameAs(nameOf(question), 0, false);
      remember(inARow, flag, count);
      if (count >= BROKEN_FLAG) blameAs(flag, TESTED_WITHIN_MS, true);
    },
    /** The service has answered the question. */
    answered(question: Question) {
      if (areOver()) return;
      const flag = flagOf(question);
      if (inARow.has(flag)) inARow.set(flag, 0);
      const broken = blames.get(flag);
      // After the blame, the answer is that of the test.
      if (broken !== undefined && (broken.byQuestions || clock.now() >= broken.until)) blames.delete(flag);
    },
    /** How many questions and flags are blamed. */
    size: () => (areOver() ? 0 : [...blames.keys()].filter(blameOf).length),
  };
}

export type Suspects = ReturnType<typeof rememberedSuspects>;

/** The newest is the last; the oldest goes if there are too many. */
function remember<Value>(values: Map<string, Value>, name: string, value: Value): void {
  values.delete(name);
  const [oldest] = values.keys();
  if (values.size >= MAX_BLAMED && oldest !== undefined) values.delete(oldest);
  values.set(name, value);
}

/**
 * Whether the flag is to blame for every entity, and not only this question. Until another request has succeeded, the
 * service may also be the cause.
 */
export function blamesFlag(failure: Failure): boolean {
  return policyOf(failure).countsForCircuit === 'if-all-parts-fail';
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
