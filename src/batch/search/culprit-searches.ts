import type { AskAtOnce } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import type { AnsweredRequests, AnsweredSince } from '../answered-requests.js';
import { failEach, settle, type PendingQuestion } from '../pending-question.js';
import { findCulprits } from './find-culprits.js';
import { searchLimit } from './search-limit.js';
import { slots } from './slots.js';
import { blamesFlag, rememberedSuspects } from './suspects.js';

/** For so long after a failed check, the service fails if it seems to. */
const FAILS_FOR_MS = 5_000;
/** For so long after a search in which nothing succeeded, and until a request succeeds, another one is brief. */
const BRIEF_FOR_MS = 5_000;
/** But a batch of nothing but culprits proves nothing, as long as other requests have just succeeded. */
const JUST_MS = 1_000;

/** What the searches ask, and what they know. */
export interface Searched {
  /** Sends one request. Never rejects. */
  readonly ask: AskAtOnce;
  /** Why a request would not be sent now; `undefined` if it would be. Meanwhile, a search would only add load. */
  readonly refusal: () => Failure | undefined;
  /** Asks a question that concerns no flag and no context: why it failed. Never rejects. */
  readonly check: () => Promise<Failure | undefined>;
  /** Learns that a batch failed with 500, and a check as well. Called once for a batch. */
  readonly serviceFailed: (failure: Failure) => void;
  /** Learns of the answers, and of those to checks. */
  readonly answered: AnsweredRequests;
}

/** Owns what all searches share, and the suspects that they find. */
export function culpritSearches(searched: Searched, { clock, report }: Runtime) {
  const { ask, refusal, check, serviceFailed, answered } = searched;
  const suspects = rememberedSuspects(clock);
  const askPart = searchLimit(ask, answered, clock);
  /**
   * While no request succeeds, searches take turns, because the first may blame what spoils the second batch, too. A
   * turn ends with its search, or when a request has succeeded since the batch was sent.
   */
  const turns = slots(() => 1);
  let fruitless = { until: -Infinity, since: answered.since() };
  /** Until then, the service is known to fail by itself. */
  let failsUntil = -Infinity;

  /**
   * If the service seems to fail, a check always decides. One that fails counts for some time: a half-dead service lets
   * some checks pass, and searches must not multiply its load. About any other failure, a check decides only if no
   * request has succeeded since the batch was sent, because then the service may fail for everything.
   */
  const isServiceFailure = async (failure: Failure, since: AnsweredSince): Promise<boolean> => {
    const looksLikeIt = policyOf(failure).spoilsBatch === 'if-a-check-passes';
    if (looksLikeIt && clock.now() < failsUntil) return true;
    if ((!looksLikeIt && since.count() > 0) || (await check()) === undefined) return false;
    if (looksLikeIt) failsUntil = clock.now() + FAILS_FOR_MS;
    if (blamesFlag(failure)) serviceFailed(failure);
    return true;
  };

  const search = async (
    batch: readonly PendingQuestion[],
    failure: Failure,
    since: AnsweredSince,
    /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
    proven: () => void,
  ) => {
    if (refusal() !== undefined || (await isServiceFailure(failure, since))) {
      failEach(batch, failure);
      return;
    }
    report({ type: 'isolation-started', items: batch.length });
    const isBrief = clock.now() < fruitless.until && fruitless.since.count() === 0;
    const { blame } = suspects;
    const found = await findCulprits(batch, failure, { ask: askPart, since, isBrief, blame, proven });
    report({ type: 'isolation-finished', ...found });
    const now = clock.now();
    if (!isBrief && since.count() === 0 && now - answered.lastSentAt() > JUST_MS)
      fruitless = { until: now + BRIEF_FOR_MS, since };
  };

  return {
    suspects,
    /** Answers each question of a batch that failed. */
    async search(batch: readonly PendingQuestion[], failure: Failure, since: AnsweredSince): Promise<void> {
      // Unless a later request was answered quickly, requests wait in a line, and a search would make it longer.
      if (failure.kind === 'timeout' && !since.isQuick()) {
        failEach(batch, failure);
        return;
      }
      const leave = since.count() === 0 ? await turns.take() : () => undefined;
      if (since.count() > 0) leave();
      // Another search may have blamed some of the questions meanwhile.
      const blamed = new Set(batch.filter(({ question }) => suspects.isBlamed(question)));
      const rest = batch.filter((one) => !blamed.has(one));
      failEach([...blamed], failure);
      if (blamed.size === 0) await search(batch, failure, since, leave);
      else if (rest.length > 0)
        await settle(rest, await askPart(rest), (asked, its) => search(asked, its, since, leave));
      leave();
    },
  };
}
