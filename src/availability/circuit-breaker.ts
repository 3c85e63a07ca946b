import type { Clock } from '../clock.js';
import type { Failure, FailureTraits } from '../model/failure.js';
import {
  admission,
  closedBreaker,
  passed,
  probed,
  probing,
  type BreakerSettings,
  type BreakerState,
} from './circuit.js';
import type { Reply, Send } from '../http/reply.js';
import { traitsOfOutcome } from '../http/outcome.js';

export interface BreakerWatch {
  /** Asks the service something cheap that concerns no flag; `undefined`: it has answered. */
  readonly probe: () => Promise<Failure | undefined>;
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
  if (settings === undefined) return UNGUARDED;
  let state: BreakerState = closedBreaker;
  let lastWords = 'none';
  let cancelProbe: () => void = () => undefined;
  let over = false;

  const become = (next: BreakerState) => {
    const before = state;
    state = next;
    if (over || before === next) return;
    if (next.mode !== 'open') cancelProbe();
    else probeAt(next.probeAt);
    if (before.mode === 'closed' && next.mode === 'open')
      watch.opened({ kind: 'circuit-open', message: lastWords });
    if (before.mode !== 'closed' && next.mode === 'closed') watch.closed();
  };

  /** If no call has done it by then. */
  const probeAt = (time: number) => {
    cancelProbe();
    const due = () => {
      // Node's timers may fire a fraction of a millisecond early.
      if (clock.now() < time) {
        probeAt(time);
        return;
      }
      become(probing(state));
      void probe();
    };
    cancelProbe = clock.after(Math.max(1, Math.ceil(time - clock.now())), due, 'background');
  };

  const probe = async () => {
    const failure = await watch.probe();
    probeEnded(failure !== undefined && (counts(failure) !== 'no' || neverSent(failure)), failure);
  };

  const probeEnded = (failed: boolean, outcome: Reply | Failure | undefined) => {
    if (failed && outcome !== undefined) lastWords = wordsOf(outcome);
    become(probed(state, failed, clock.now(), settings));
  };

  const ended = (outcome: Reply | Failure, asProbe: boolean) => {
    // A flag that is broken, or the service? While all is well, the halves of the batch tell. A probe cannot wait.
    if (counts(outcome) === 'if-all-parts-fail') {
      if (asProbe) void probe();
      return;
    }
    if (asProbe) {
      // A probe must have an end, also where it could not be sent.
      probeEnded(counts(outcome) === 'yes' || neverSent(outcome), outcome);
      return;
    }
    if (neverSent(outcome)) return;
    const failed = counts(outcome) === 'yes';
    if (failed) lastWords = wordsOf(outcome);
    become(passed(state, failed, clock.now(), settings));
  };

  const refused = (): Failure => ({
    kind: 'circuit-open',
    message: `Flipt is not asked for the moment, after repeated failures; the last: ${lastWords}`,
  });

  return {
    guarded: (send) => async (request) => {
      const admitted = admission(state, clock.now());
      if (admitted === 'refuse') return refused();
      if (admitted === 'probe') become(probing(state));
      const outcome = await send(request);
      ended(outcome, admitted === 'probe');
      return outcome;
    },
    refusal: () => (admission(state, clock.now()) === 'refuse' ? refused() : undefined),
    fail(failure) {
      lastWords = failure.message;
      become(passed(state, true, clock.now(), settings));
    },
    reached() {
      become(closedBreaker);
    },
    close() {
      over = true;
      cancelProbe();
    },
  };
}

/** For `breaker: false`. */
const UNGUARDED: Guard = {
  guarded: (send) => send,
  refusal: () => undefined,
  fail: () => undefined,
  reached: () => undefined,
  close: () => undefined,
};

function counts(outcome: Reply | Failure): FailureTraits['countsForCircuit'] {
  return traitsOfOutcome(outcome)?.countsForCircuit ?? 'no';
}

/** Ended here, or without credentials to send: it says nothing about the service. */
function neverSent(outcome: Reply | Failure): boolean {
  const traits = traitsOfOutcome(outcome);
  return traits !== undefined && !traits.responded && traits.countsForCircuit === 'no';
}

function wordsOf(outcome: Reply | Failure): string {
  return outcome.kind === 'reply' ? `status ${outcome.status}` : outcome.message;
}
