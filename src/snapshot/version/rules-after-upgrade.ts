import type { Semantics } from '../../engine/features.js';
import { isV2, NEWEST_V2, type V2Semantics } from '../../engine/rules-of-version.js';
import type { Clock } from '../../time/clock.js';

/** Two versions behind one address, as during a rolling upgrade, must not change the rules with each answer. */
const KEPT_FOR_MS = 60_000;

/** An answer of Flipt about its version. */
interface News {
  readonly rules: V2Semantics;
}

/** By whose rules snapshots of v2 are read: the last answer counts, but it changes them at most once a minute. */
export function rulesInForce(clock: Pick<Clock, 'now'>) {
  /** Those of the snapshot in force. */
  let inForce: Semantics | undefined;
  /** The last answer, until a snapshot has been read by it. */
  let news: News | undefined;
  let used: News | undefined;
  let announced: News | undefined;
  let changedAt = -Infinity;
  let hasAnswered = false;
  let newRules: () => void = () => undefined;

  const isDue = (answer: News | undefined): answer is News =>
    answer !== undefined &&
    inForce !== undefined &&
    isV2(inForce) &&
    answer.rules !== inForce &&
    clock.now() - changedAt >= KEPT_FOR_MS;
  /** Once for each answer, because a body may name other rules than the answer, again and again. */
  const announce = () => {
    if (news === announced || !isDue(news)) return;
    announced = news;
    newRules();
  };

  return {
    /** Flipt has answered: these are its rules. */
    answered(rules: V2Semantics) {
      news = { rules };
      announce();
    },
    /** The rules by which a snapshot of v2 is to be read, if the one in force is read by these. */
    after(known: Semantics | undefined): V2Semantics {
      inForce = known;
      const before = known !== undefined && isV2(known) ? known : undefined;
      used = before === undefined || before === news?.rules || isDue(news) ? news : undefined;
      return used?.rules ?? before ?? NEWEST_V2;
    },
    /** A snapshot is in force, and read by these rules. */
    applied(rules: Semantics) {
      // What was assumed before the first answer is no version that the address has had.
      if (hasAnswered && inForce !== rules) changedAt = clock.now();
      hasAnswered ||= used !== undefined;
      inForce = rules;
      if (news === used) news = undefined;
      used = undefined;
      announce();
    },
    /** Calls the listener when the snapshot in force should be read by other rules. */
    onNew(listener: () => void) {
      newRules = listener;
    },
  };
}
