import type { Clock } from '../clock.js';
import type { Failure } from '../model.js';
import {
  admission,
  closedBreaker,
  passed,
  probed,
  probing,
  type BreakerSettings,
  type BreakerState,
} from './breaker.js';
import type { Send } from './message.js';
import { isOutage } from './retry.js';

export interface BreakerWatch {
  /** Asks the service something cheap, if nobody else has by the time that a probe is due. */
  readonly probe: () => void;
  readonly opened: (last: Failure) => void;
  readonly closed: () => void;
}

/** Owns the circuit breaker's state. */
export interface Guard {
  /** Sends if the breaker lets it. */
  readonly guarded: (send: Send) => Send;
  /** Why nothing would be sent now, `undefined` if something would. */
  readonly refusal: () => Failure | undefined;
  /** Counts a failure that only its context shows to be the service's, such as a 500 for everything. */
  readonly fail: (failure: Failure) => void;
  /** The service was reached by other means. */
  readonly reached: () => void;
  readonly close: () => void;
}

export function breakerGuard(
  settings: BreakerSettings | undefined,
  clock: Clock,
  watch: BreakerWatch,
): Guard {
  let state: BreakerState = closedBreaker;
  let lastWords = 'none';
  let cancelProbe: () => void = () => undefined;

  const become = (next: BreakerState) => {
    const before = state;
    state = next;
    if (next.mode === 'open' && before !== next) {
      cancelProbe();
      cancelProbe = clock.after(Math.max(0, next.probeAt - clock.now()), watch.probe, 'background');
    }
    if (before.mode === 'closed' && next.mode === 'open')
      watch.opened({ kind: 'unavailable', message: lastWords });
    if (before.mode !== 'closed' && next.mode === 'closed') {
      cancelProbe();
      watch.closed();
    }
  };

  const refused = (): Failure => ({
    kind: 'unavailable',
    message: `Flipt is not asked for the moment, after repeated failures; the last: ${lastWords}`,
  });

  return {
    guarded: (send) => async (request) => {
      if (settings === undefined) return send(request);
      const admitted = admission(state, clock.now());
      if (admitted === 'refuse') return refused();
      if (admitted === 'probe') become(probing(state));
      const outcome = await send(request);
      // Ended by us: it says nothing about the service, but a probe must have an end.
      const failed = isOutage(outcome) || (admitted === 'probe' && outcome.kind === 'closed');
      if (failed && outcome.kind !== 'closed') lastWords = wordsOf(outcome);
      become((admitted === 'probe' ? probed : passed)(state, failed, clock.now(), settings));
      return outcome;
    },
    refusal: () => (admission(state, clock.now()) === 'refuse' ? refused() : undefined),
    fail(failure) {
      if (settings === undefined) return;
      lastWords = failure.message;
      become(passed(state, true, clock.now(), settings));
    },
    reached() {
      become(closedBreaker);
    },
    close() {
      cancelProbe();
    },
  };
}

function wordsOf(outcome: Awaited<ReturnType<Send>>): string {
  return outcome.kind === 'reply' ? `status ${outcome.status}` : outcome.message;
}
