import type { Semantics } from '../../engine/features.js';
import { isV2, NEWEST_V2, type V2Semantics } from '../../engine/rules-of-version.js';
import type { Clock } from '../../time/clock.js';

/** Two versions behind one address, as during a rolling upgrade, must not change the rules with each answer. */
const KEPT_FOR_MS = 60_000;

/**
 * By whose rules snapshots of v2 are read: the last answer counts, but it changes them at most once a minute. `newRules`
 * is called when the snapshot in force should be read by other rules.
 */
export function rulesInForce(clock: Pick<Clock, 'now'>, newRules: () => void) {
  /** Those of the snapshot in force. */
  let inForce: Semantics | undefined;
  /** The last answer, until a snapshot has been read by it. */
  let news: { readonly rules: V2Semantics } | undefined;
  let used: typeof news;
  let announced: V2Semantics | undefined;
  let changedAt = -Infinity;
  let hasAnswered = false;

  const isDue = (rules: V2Semantics) =>
    inForce !== undefined && isV2(inForce) && rules !== inForce && clock.now() - changedAt >= KEPT_FOR_MS;
  /** The same rules once, because a body may name other ones than the answers. */
  const announce = () => {
    if (news === undefined || !isDue(news.rules) || news.rules === announced) return;
    announced = news.rules;
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
      used = before === undefined || before === news?.rules || (news && isDue(news.rules)) ? news : undefined;
      return used?.rules ?? before ?? NEWEST_V2;
    },
    /** A snapshot is in force, and read by these rules. */
    applied(rules: Semantics) {
      // What was assumed before the first answer is no version that the address has had.
      if (hasAnswered && inForce !== rules) changedAt = clock.now();
      hasAnswered ||= used !== undefined;
      inForce = rules;
      // Nobody knows yet which v2 follows on a v1.
      if (!isV2(rules)) hasAnswered = false;
      if (news === used) news = undefined;
      used = undefined;
      announce();
    },
  };
}
