import { FAILURES, ENDED } from '../../model/failure.js';
import type { Runtime } from '../../runtime.js';
import type { Send } from '../reply.js';
import { failureKindOfOutcome } from '../failure-of-status.js';
import { passed } from '../../time/until-aborted.js';
import { retryBudget, type RetryBudget } from './retry-budget.js';
import { retryDelayMs } from './retry-delay.js';

export interface RetrySettings {
  readonly retries: number;
  /** Milliseconds after the first attempt; no attempt begins later. */
  readonly withinMs: number;
  /** Whether the first attempt counts as an extra request in the budget. The budget never stops it. */
  readonly extra?: boolean;
  /** Default: one of its own. */
  readonly budget?: RetryBudget;
}

/**
 * Repeats a failed request if it may be repeated and the next attempt may succeed, within the budget and the callers'
 * time.
 */
export function withRetries(
  send: Send,
  { retries, withinMs, extra = false, budget = retryBudget() }: RetrySettings,
  { clock, random, report }: Omit<Runtime, 'wants'>,
): Send {
  return async (request) => {
    const until = clock.now() + withinMs;
    if (extra) budget.charge(clock.now());
    else budget.count(clock.now());
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(request);
      const failure = failureKindOfOutcome(outcome);
      if (failure === undefined || !FAILURES[failure].retryable) return outcome;
      // It has not reached the service, so one retry is no extra load. The idle connections of that age are gone.
      const isFree = failure === 'stale-connection' && attempt === 1;
      const most = isFree ? Math.max(1, retries) : retries;
      if (attempt > most || !request.repeatable) return outcome;
      const delayMs = isFree ? 0 : retryDelayMs(outcome, attempt, clock.date(), random());
      if (clock.now() + delayMs >= until || !(isFree || budget.spend(clock.now()))) return outcome;
      report({ type: 'retry', attempt: attempt + 1, delayMs, failure });
      await passed(delayMs, request.signal, clock);
      if (request.signal?.aborted) return ENDED;
    }
  };
}
