import type { AskAtOnce } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import { findCulprits } from './culprit-search.js';
import { culpritSearchLimit } from './culprit-search-limit.js';
import { failEach, settle, type PendingQuestion } from '../pending-question.js';
import { slots } from './slots.js';
import { blamesFlag, type Suspects } from '../suspects.js';

/** After a search in which nothing succeeded, no other one begins for so long, unless any request succeeds. */
const HOPELESS_FOR_MS = 5_000;
/** But a batch of nothing but culprits proves nothing, as long as other requests have just succeeded. */
const JUST_MS = 1_000;

/** What the searches ask, and what they know. */
export interface Searched {
  /** Sends one request of a search. Never rejects. */
  readonly ask: AskAtOnce;
  /** Why a request would not be sent now; `undefined` if it would be. Meanwhile, a search would only add load. */
  readonly refusal: () => Failure | undefined;
  /** Learns that a batch and all its parts failed with 500. Called once for a batch. */
  readonly serviceFailed: (failure: Failure) => void;
  readonly suspects: Pick<Suspects, 'blame' | 'isBlamed'>;
  /** How many requests have succeeded so far. */
  readonly successes: () => number;
  readonly succeededAt: () => number;
}

/** Answers each question of a batch that failed. `before`: how many requests had succeeded when it was sent. */
export type SearchCulprits = (
  batch: readonly PendingQuestion[],
  failure: Failure,
  before: number,
) => Promise<void>;

/** Owns what all searches share. */
export function culpritSearches(
  { ask, refusal, serviceFailed, suspects, successes, succeededAt }: Searched,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
): SearchCulprits {
  const askPart = culpritSearchLimit(ask, clock);
  /**
   * While nothing has succeeded since the batch was sent, only one search runs at a time: if the service fails for
   * everything, more searches would only add load. The next one begins when this one ends, or finds that a request has
   * succeeded since its own batch was sent.
   */
  const turns = slots(() => 1);
  /** Until this time, and until a request succeeds, another search would find only failures, too. */
  let hopeless = { until: -Infinity, successes: 0 };

  const search = async (
    batch: readonly PendingQuestion[],
    failure: Failure,
    before: number,
    /** Called when a request has succeeded since the batch was sent, and what is known so far has been blamed. */
    proven: () => void,
  ) => {
    const isHopeless = clock.now() < hopeless.until && successes() === hopeless.successes;
    if ((isHopeless && !blamesFlag(failure)) || refusal() !== undefined) {
      failEach(batch, failure);
      return;
    }
    report({ type: 'isolation-started', items: batch.length });
    const found = await findCulprits(batch, failure, {
      ask: askPart,
      successes,
      before,
      blame: suspects.blame,
      proven,
    });
    report({ type: 'isolation-finished', requests: found.requests, culprits: found.culprits });
    const now = clock.now();
    if (successes() === before && now - succeededAt() > JUST_MS)
      hopeless = { until: now + HOPELESS_FOR_MS, successes: before };
    if (found.isServiceFailure) serviceFailed(failure);
  };

  return async (batch, failure, before) => {
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
}
