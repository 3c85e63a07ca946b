import { createHash } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { Question } from '../model/question.js';

/** How long a question that spoilt a batch is asked alone. */
const ALONE_FOR_MS = 30_000;
/** Most of them remembered; the oldest are forgotten first. */
const MAX_CULPRITS = 1_000;

/** Where as many questions about one flag have been culprits, it is the flag that is broken. */
const BROKEN_FLAG = 3;

/** Remembers, for a while, which questions have spoilt a batch. */
export interface Culprits {
  readonly blame: (question: Question) => void;
  /**
   * Questions of different lanes must not share a request: a culprit goes alone, and what is asked about a broken
   * flag goes apart from all else.
   */
  readonly laneOf: (question: Question) => string;
  readonly isSuspect: (question: Question) => boolean;
}

export function rememberedCulprits(clock: Clock): Culprits {
  /** By question: until when, and about which flag. The first blamed come first. */
  const culprits = new Map<string, { readonly until: number; readonly flag: string }>();
  const blamedTimes = new Map<string, number>();

  const forget = (name: string) => {
    const culprit = culprits.get(name);
    if (culprit === undefined) return;
    culprits.delete(name);
    const times = (blamedTimes.get(culprit.flag) ?? 0) - 1;
    if (times > 0) blamedTimes.set(culprit.flag, times);
    else blamedTimes.delete(culprit.flag);
  };
  const pardon = () => {
    for (const [name, { until }] of culprits) {
      if (clock.now() < until) return;
      forget(name);
    }
  };

  /** The lane that a question must go in, apart from others; `undefined` for one that nothing is known against. */
  const suspicion = (question: Question): string | undefined => {
    if (culprits.size > 0) pardon();
    if (culprits.size === 0) return undefined;
    const flag = flagOf(question);
    const times = blamedTimes.get(flag);
    if (times === undefined) return undefined;
    if (times >= BROKEN_FLAG) return flag;
    const name = nameOf(question);
    return culprits.has(name) ? name : undefined;
  };

  return {
    blame(question) {
      const name = nameOf(question);
      forget(name);
      const [oldest] = culprits.keys();
      if (culprits.size >= MAX_CULPRITS && oldest !== undefined) forget(oldest);
      const flag = flagOf(question);
      culprits.set(name, { until: clock.now() + ALONE_FOR_MS, flag });
      blamedTimes.set(flag, (blamedTimes.get(flag) ?? 0) + 1);
    },
    laneOf: (question) => suspicion(question) ?? JSON.stringify(question.namespace),
    isSuspect: (question) => suspicion(question) !== undefined,
  };
}

function flagOf({ namespace, flag }: Question): string {
  return JSON.stringify([namespace, flag]);
}

/** A digest: a question may be as large as a request. */
function nameOf(question: Question): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64');
}
