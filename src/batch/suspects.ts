import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Question } from '../model/question.js';

/** For how long a question or a flag that spoilt a batch is sent apart from the others. */
const BLAMED_FOR_MS = 30_000;
/** After that, for so long, the next question about a blamed flag tests it. If no question comes, the blame ends. */
const TESTED_WITHIN_MS = 30_000;
/** Most questions, and most flags, that are remembered. The oldest are forgotten first. */
const MAX_BLAMED = 1_000;
/** After so many blamed questions about one flag, with no answer about it in between, the whole flag is blamed. */
const BROKEN_FLAG = 3;

/** How a suspect must be asked. */
export interface Suspicion {
  /** Only questions of the same lane may share its request. */
  readonly lane: string;
  /** The blame has expired: one question must test whether it still holds. */
  readonly tests: boolean;
}

/** Remembers, for a while, which questions and flags have spoilt a batch. */
export interface Suspects {
  /** `undefined` if nothing is known against the question. */
  readonly suspicionOf: (question: Question) => Suspicion | undefined;
  readonly blameQuestion: (question: Question) => void;
  /** Blames all questions about the flag. */
  readonly blameFlag: (question: Question) => void;
  /** The service has answered the question. */
  readonly answered: (question: Question) => void;
  /** A test of the flag has succeeded. */
  readonly pardonFlag: (question: Question) => void;
  /** How many questions and flags are blamed. */
  readonly size: () => number;
}

interface BlamedFlag {
  readonly until: number;
  /** True if its questions were blamed one by one. Then an answer to any of its questions disproves the blame. */
  readonly byQuestions: boolean;
}

export function rememberedSuspects(clock: Clock): Suspects {
  /** By the question's digest. The oldest blame comes first, here and in `flags`. */
  const questions = new Map<string, { readonly until: number; readonly flag: string }>();
  const flags = new Map<string, BlamedFlag>();
  /** By flag: how many of its questions are blamed, and how many of them since its last answer. */
  const counts = new Map<string, { blamed: number; inARow: number }>();

  const forgetQuestion = (name: string) => {
    const blamed = questions.get(name);
    if (blamed === undefined) return;
    questions.delete(name);
    const count = counts.get(blamed.flag);
    if (count !== undefined && --count.blamed <= 0) counts.delete(blamed.flag);
  };
  const forgetExpired = () => {
    const now = clock.now();
    for (const [name, { until }] of questions) {
      if (now < until) break;
      forgetQuestion(name);
    }
    for (const [flag, { until }] of flags) {
      if (now < until + TESTED_WITHIN_MS) break;
      flags.delete(flag);
    }
  };
  const isEmpty = () => questions.size === 0 && flags.size === 0;

  const blame = (flag: string, byQuestions: boolean) => {
    flags.delete(flag);
    forgetOldest(flags, (oldest) => flags.delete(oldest));
    flags.set(flag, { until: clock.now() + BLAMED_FOR_MS, byQuestions });
  };

  return {
    suspicionOf(question) {
      if (isEmpty()) return undefined;
      forgetExpired();
      if (isEmpty()) return undefined;
      const flag = flagOf(question);
      const broken = flags.get(flag);
      if (broken !== undefined) return { lane: flag, tests: clock.now() >= broken.until };
      // A digest of every question would cost too much, and most flags have no blamed question.
      if (!counts.has(flag)) return undefined;
      const name = nameOf(question);
      return questions.has(name) ? { lane: name, tests: false } : undefined;
    },
    blameQuestion(question) {
      const name = nameOf(question);
      const flag = flagOf(question);
      forgetQuestion(name);
      forgetOldest(questions, forgetQuestion);
      questions.set(name, { until: clock.now() + BLAMED_FOR_MS, flag });
      const { blamed, inARow } = counts.get(flag) ?? { blamed: 0, inARow: 0 };
      counts.set(flag, { blamed: blamed + 1, inARow: inARow + 1 });
      if (inARow + 1 >= BROKEN_FLAG) blame(flag, true);
    },
    blameFlag(question) {
      blame(flagOf(question), false);
    },
    answered(question) {
      if (isEmpty()) return;
      const flag = flagOf(question);
      const count = counts.get(flag);
      if (count !== undefined) count.inARow = 0;
      if (flags.get(flag)?.byQuestions === true) flags.delete(flag);
    },
    pardonFlag(question) {
      flags.delete(flagOf(question));
    },
    size() {
      forgetExpired();
      return questions.size + flags.size;
    },
  };
}

function forgetOldest<V>(blamed: ReadonlyMap<string, V>, forget: (name: string) => void): void {
  const [oldest] = blamed.keys();
  if (blamed.size >= MAX_BLAMED && oldest !== undefined) forget(oldest);
}

function flagOf({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/** The digest stands for the question, which may be as large as a request. */
function nameOf(question: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
