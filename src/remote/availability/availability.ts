import { policyOfOutcome, type Outcome, type Send } from '../../http/reply.js';
import type { WatchCondition } from '../../model/events/flipt-event.js';
import { isFailure, type AskAtOnce, type BatchOutcome, type HealthCheck } from '../../model/answer.js';
import { policyOf, rejectsCredentials, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import type { Clock } from '../../base/time/clock.js';
import type { CircuitSettings } from './circuit-breaker.js';
import { circuitOpening, openHealth, type HealthState } from './health-state.js';
import * as health from './health-transitions.js';

export interface AvailabilitySettings {
  /** Past the circuit breaker. */
  readonly check: HealthCheck;
  /** Changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** `undefined`: the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
}

export type Availability = ReturnType<typeof availability>;

/** What requests teach about the service's health, and which of them its health lets pass. */
export function availability({ check, credentialsVersion, breaker }: AvailabilitySettings, runtime: Runtime) {
  const { clock } = runtime;
  const state = openHealth(check, breaker, runtime);
  const { read, become, moment } = state;
  const learn = circuitOpening(state, clock);
  const judged = judgingRejections(state, credentialsVersion, clock);

  const refusal = (): Failure | undefined => {
    const { circuit } = read();
    if (circuit.state === 'closed') return undefined;
    const { message } = circuit.failure;
    const why = `circuit open: no requests are sent after repeated failures; the last: ${message}`;
    return { kind: 'circuit-open', message: why };
  };

  return {
    start: state.start,
    /** Sends while the circuit is closed, and learns from each attempt. */
    throughCircuit:
      (send: Send): Send =>
      async (request) => {
        const refused = refusal();
        if (refused !== undefined) return refused;
        const sentAt = clock.now();
        const outcome = await send(request);
        const proof = proofOf(outcome);
        if (proof !== undefined) learn({ ...proof, sentAt });
        return outcome;
      },
    /** Learns from the outcome of whole requests. A part of a batch that has failed is expected to fail, too. */
    observed(askAtOnce: AskAtOnce, isPart = false): AskAtOnce {
      const ask = judged(askAtOnce);
      return async (questions) => {
        const outcome = await ask(questions);
        // A rejected check has changed the state already. A check that failed for another reason proves nothing.
        if (!isFailure(outcome)) become(health.answered(read(), clock.now()));
        else if (!isRejection(outcome) && !(isPart && policyOf(outcome).spoilsBatch))
          become(health.unanswered(read(), outcome, moment()));
        return outcome;
      };
    },
    /** Counts a failure that was the service's, because a check has failed since, such as a 500 for everything. */
    serviceFailed: (failure: Failure) => {
      become(health.attempted(read(), { failure, sentAt: clock.now() }, moment()));
    },
    /** Why the service has no flags, where it had some; `undefined` if it has them, as far as is known. */
    flagsLost: () => read().watch.flagsLost,
    /** A poll of the snapshot has ended. */
    polled: (failure: Failure | undefined) => {
      become(health.polled(read(), failure));
    },
    /** The watch of the snapshot has a new condition. If it is lost, a check follows. */
    watched: (condition: WatchCondition, failure: Failure | undefined) => {
      become(health.watched(read(), condition, failure, moment()));
    },
    /** Asks a question that concerns no flag and no context: why it failed. Callers share one. Never rejects. */
    check: () => state.check(),
    /** Why a request would not be sent now; `undefined` if it would be sent. */
    refusal,
    /** Checks whether the credentials count, unless they are known to be rejected: a poll's were. Never rejects. */
    checkCredentials: async () => {
      if (!state.isClosed() && read().rejected === undefined) await state.check();
    },
    close: state.close,
  };
}

/**
 * What the outcome says about the service's health; `undefined`: nothing. It says nothing if nothing was sent, and a
 * 500 proves nothing, either: a flag or the service may have caused it, and while the circuit is closed, the parts of
 * its batch show which.
 */
function proofOf(outcome: Outcome): { readonly failure: Failure | undefined } | undefined {
  const policy = policyOfOutcome(outcome);
  if (policy?.countsForCircuit === 'yes') {
    const isReply = outcome.kind === 'reply';
    return { failure: isReply ? { kind: 'gateway', message: `status ${outcome.status}` } : outcome };
  }
  const isAnswer = policy === undefined || (policy.responded && policy.countsForCircuit === 'no');
  return isAnswer ? { failure: undefined } : undefined;
}

/** For so long after a check has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

/**
 * After a 401 or 403, a check finds out what was rejected. If the check is rejected, too, the credentials are. Otherwise
 * it was this request alone, which then fails as `refused-request`. `credentialsVersion` changes when other credentials
 * are sent.
 */
function judgingRejections({ read, check }: HealthState, credentialsVersion: () => number, clock: Clock) {
  let acceptedAt = -Infinity;

  const areCredentialsAccepted = async () => {
    if (read().rejected !== undefined) return false;
    if (clock.now() - acceptedAt < ACCEPTED_FOR_MS) return true;
    const isAccepted = (await check()) === undefined;
    if (isAccepted) acceptedAt = clock.now();
    return isAccepted;
  };

  return (askAtOnce: AskAtOnce): AskAtOnce =>
    async (questions) => {
      const sentWith = credentialsVersion();
      const first = await askAtOnce(questions);
      if (!isRejection(first) || !(await areCredentialsAccepted())) return first;
      // A single 401, for example from one instance of many, changes no state: try again. After a 403, trying again helps
      // only if the check has refreshed the credentials.
      const isWorthIt = first.kind === 'unauthorized' || credentialsVersion() !== sentWith;
      const second = isWorthIt ? await askAtOnce(questions) : first;
      return isRejection(second) ? { ...second, kind: 'refused-request' } : second;
    };
}

function isRejection(outcome: BatchOutcome): outcome is Failure {
  return isFailure(outcome) && rejectsCredentials(outcome);
}
