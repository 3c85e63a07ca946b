import type { Clock } from '../../clock.js';
import { SILENT, type Reporter } from '../../diagnostics/diagnostics.js';
import { FAILURES } from '../../model/failure-traits.js';
import { ENDED, type Send } from '../reply.js';
import { failureKindOfOutcome } from '../outcome.js';
import type { RetryBudget } from './retry-budget.js';
import { retryDelayMs } from './retry-delay.js';

export interface RetrySettings {
  readonly retries: number;
  /** Milliseconds after the first attempt; no attempt begins later. */
  readonly withinMs: number;
  /** Whether the first attempt counts as an extra request in the budget. The budget never stops it. */
  readonly extra?: boolean;
}

/**
 * Repeats a failed request if it may be repeated and the next attempt may succeed, within the budget and the callers'
 * time.
 */
export function retried(
  send: Send,
  { retries, withinMs, extra = false }: RetrySettings,
  budget: RetryBudget,
  clock: Clock,
  random: () => number,
  { report }: Reporter = SILENT,
): Send {
  return async (request) => {
    const until = clock.now() + withinMs;
    if (extra) budget.charge(clock.now());
    else budget.count(clock.now());
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(request);
      const failure = failureKindOfOutcome(outcome);
      if (failure === undefined || !FAILURES[failure].retryable) return outcome;
      if (attempt > retries || !request.repeatable) return outcome;
      const delayMs = retryDelayMs(outcome, attempt, clock.date(), random());
      if (clock.now() + delayMs >= until || !budget.spend(clock.now())) return outcome;
      report({ type: 'retry', attempt: attempt + 1, delayMs, failure });
      if (!(await waited(clock, delayMs, request.signal))) return ENDED;
    }
  };
}

/** `false` if the signal ended the wait. */
function waited(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (elapsed: boolean) => {
      cancel();
      signal?.removeEventListener('abort', giveUp);
      resolve(elapsed);
    };
    const giveUp = () => {
      end(false);
    };
    const cancel = clock.after(ms, () => {
      end(true);
    });
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp);
  });
}
