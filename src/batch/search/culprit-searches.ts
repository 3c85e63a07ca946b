import type { AskAtOnce } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import { findCulprits } from './culprit-search.js';
import { culpritSearchLimit } from './culprit-search-limit.js';
import type { QuickAnswers } from '../quick-answers.js';
import { failEach, settle, type PendingQuestion } from '../pending-question.js';
import { slots } from './slots.js';
import { blamesFlag, rememberedSuspects } from './suspects.js';

/** For so long after a failed check, what looks like a failure of the service is taken for one. */
const FAILS_FOR_MS = 5_000;
/** For so long after a search in which nothing succeeded, and until a request succeeds, another one is brief. */
const BRIEF_FOR_MS = 5_000;
/** But a batch of nothing but culprits proves nothing, as long as other requests have just succeeded. */
const JUST_MS = 1_000;

/** What the searches ask, and what they know. */
export interface Searched {
  /** Sends one request of a search. Never rejects. */
  readonly ask: AskAtOnce;
  /** Why a request would not be sent now; `undefined` if it would be. Meanwhile, a search would only add load. */
  readonly refusal: () => Failure | undefined;
  /** Asks a question that concerns no flag and no context: why it failed. Never rejects. */
  readonly check: () => Promise<Failure | undefined>;
  /** Learns that a batch failed with 500, and a check as well. Called once for a batch. */
  readonly serviceFailed: (failure: Failure) => void;
  /** Learns of the answers, and of those to checks. */
  readonly quick: QuickAnswers;
  /** How many requests have succeeded so far. */
  readonly successes: () => number;
  /** When the last one of them was sent. */
  readonly answeredSentAt: () => number;
}

/** When a batch was sent. */
export interface Before {
  /** How many requests had succeeded. */
  readonly successes: number;
  readonly sentAt: number;
}

/** Owns what all searches share, and the suspects that they find. */
export function culpritSearches(
  { ask, refusal, check, serviceFailed, quick, successes, answeredSentAt }: Searched,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
) {
  const suspects = rememberedSuspects(clock);
  const askPart = culpritSearchLimit(ask, quick, clock);
  const shared = { ask: askPart, successes, blame: suspects.blame };
  /**
   * While nothing has succeeded since the batch was sent, only one search runs at a time: the next one begins when this
   * one ends, or finds that a request has succeeded since its own batch was sent. Then the first may have blamed what
   * spoils the second batch, too.
   */
  const turns = slots(() => 1);
  let fruitless = { until: -Infinity, successes: 0 };
  /** Until then, the service is known to fail by itself. */
  let failsUntil = -Infinity;

  const search = async (
    batch: readonly PendingQuestion[],
    failure: Failure,
    before: number,
    /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
    proven: () => void,
  ) => {
    if (refusal() !== undefined || (await isServiceFailure(failure, before))) {
      failEach(batch, failure);
      return;
    }
    report({ type: 'isolation-started', items: batch.length });
    const isBrief = clock.now() < fruitless.until && successes() === fruitless.successes;
    const found = await findCulprits(batch, failure, { ...shared, before, isBrief, proven });
    report({ type: 'isolation-finished', ...found });
    const now = clock.now();
    if (!isBrief && successes() === before && now - answeredSentAt() > JUST_MS)
      fruitless = { until: now + BRIEF_FOR_MS, successes: before };
  };
  /** If no request has succeeded since the batch was sent, a check decides: the service may fail for everything. */
  const isServiceFailure = async (failure: Failure, before: number): Promise<boolean> => {
    if (policyOf(failure).spoilsBatch === 'if-a-check-passes') return isFailing();
    if (successes() !== before || (await check()) === undefined) return false;
    if (blamesFlag(failure)) serviceFailed(failure);
    return true;
  };
  /**
   * A check always decides about what looks like a failure of the service. A half-dead one may let some checks pass, so
   * one that fails counts for some time: searches must not multiply its load.
   */
  const isFailing = async (): Promise<boolean> => {
    if (clock.now() < failsUntil) return true;
    if ((await check()) === undefined) return false;
    failsUntil = clock.now() + FAILS_FOR_MS;
    return true;
  };

  /** Answers each question of a batch that failed. */
  const searchInTurn = async (
    batch: readonly PendingQuestion[],
    failure: Failure,
    { successes: before, sentAt }: Before,
  ) => {
    // Unless a later request was answered quickly, requests wait in a line, and a search would make it longer.
    if (failure.kind === 'timeout' && sentAt > quick.lastSentAt()) {
      failEach(batch, failure);
      return;
    }
    const leave = successes() === before ? await turns.take() : () => undefined;
    if (successes() !== before) leave();
    // Another search may have blamed some of the questions meanwhile.
    const blamed = new Set(batch.filter(({ question }) => suspects.isBlamed(question)));
    const rest = batch.filter((one) => !blamed.has(one));
    failEach([...blamed], failure);
    if (blamed.size === 0) await search(batch, failure, before, leave);
    else if (rest.length > 0)
      await settle(rest, await askPart(rest), (asked, its) => search(asked, its, before, leave));
    leave();
  };
  return { suspects, search: searchInTurn };
}
