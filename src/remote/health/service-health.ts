import { policyOfOutcome, type Outcome, type Send } from '../../http/reply.js';
import type { WatchCondition } from '../../model/events/flipt-event.js';
import { isFailure, type AskAtOnce, type BatchOutcome, type HealthCheck } from '../../model/answer.js';
import { policyOf, rejectsCredentials, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import type { Clock } from '../../base/time/clock.js';
import type { CircuitSettings } from './circuit-breaker.js';
import { CircuitOpening, HealthMonitor } from './health-monitor.js';
import * as health from './health-transitions.js';

export interface HealthSettings {
  /** Asks the service a question that concerns no flag. The request passes by the circuit breaker. */
  readonly check: HealthCheck;
  /** Returns a number that changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** The settings of the circuit breaker; `undefined` if the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
  /** Whether many instances share one watch, so that all of them lose it at the same moment. Default: false. */
  readonly isWatchShared?: boolean | undefined;
}

/** Instances that lose their watch together check the service within so much time, each at a moment of its own. */
const SHARED_CHECKS_MS = 5_000;

/**
 * Learns from requests whether the service is healthy, and decides which requests may be sent. None of its functions
 * rejects.
 */
export interface ServiceHealth {
  /**
   * Checks the service until it answers, rejects the credentials, or the time is up. Resolves with the failure of the
   * start; `undefined` if the service has answered. A short start ends after its first check, whatever the outcome.
   */
  readonly start: (withinMs: number, isShort?: boolean) => Promise<Failure | undefined>;
  /** Returns a function that sends requests while the circuit is closed, and learns from each attempt. */
  readonly throughCircuit: (send: Send) => Send;
  /**
   * Returns a function that sends whole requests and learns from their outcomes. With `isPart`, it sends a part of a
   * batch that has failed; such a part is expected to fail, too.
   */
  readonly observed: (askAtOnce: AskAtOnce, isPart?: boolean) => AskAtOnce;
  /**
   * Counts a failure as one of the service, because a check has failed since. An example is a 500 for every request.
   */
  readonly serviceFailed: (failure: Failure) => void;
  /** Returns why the service has no flags where it had some; `undefined` if it has them, as far as is known. */
  readonly flagsLost: () => Failure | undefined;
  /** Learns that a poll of the snapshot has ended. */
  readonly polled: (failure: Failure | undefined) => void;
  /** Learns that the watch of the snapshot has a new condition. If the watch is lost, a check follows, at the latest within 5 s. */
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  /**
   * Asks a question that concerns no flag and no context. Resolves with its failure; `undefined` if the service
   * answers. Concurrent callers share one check.
   */
  readonly check: () => Promise<Failure | undefined>;
  /** Returns why a request would not be sent now; `undefined` if it would be sent. */
  readonly refusal: () => Failure | undefined;
  /**
   * Checks whether the service accepts the credentials, unless it is known to reject them. The provider calls this when
   * the credentials of a poll were rejected.
   */
  readonly checkCredentials: () => Promise<void>;
  /** Ends a start in progress with this failure. After that, no change is reported. */
  readonly close: (failure: Failure) => void;
}

export function serviceHealth(
  { check, credentialsVersion, breaker, isWatchShared = false }: HealthSettings,
  runtime: Runtime,
): ServiceHealth {
  const { clock, random } = runtime;
  const monitor = new HealthMonitor(check, breaker, runtime);
  const opening = new CircuitOpening(monitor, clock);
  const rejections = new Rejections(monitor, credentialsVersion, clock);

  const refusal = (): Failure | undefined => {
    const { circuit } = monitor.read();
    if (circuit.state === 'closed') return undefined;
    const { message } = circuit.failure;
    const why = `the circuit is open: no requests are sent after repeated failures; the last: ${message}`;
    return { kind: 'circuit-open', message: why };
  };

  return {
    start: (withinMs, isShort) => monitor.start(withinMs, isShort),
    throughCircuit: (send) => async (request) => {
      const refused = refusal();
      if (refused !== undefined) return refused;
      const sentAt = clock.now();
      const outcome = await send(request);
      const proof = proofOf(outcome);
      if (proof !== undefined) opening.learn({ ...proof, sentAt });
      return outcome;
    },
    observed(askAtOnce, isPart = false) {
      const ask = rejections.judged(askAtOnce);
      return async (questions) => {
        const outcome = await ask(questions);
        // If a check was rejected, it has changed the state already. If a check failed for another reason, that proves
        // nothing.
        if (!isFailure(outcome)) monitor.become(health.answered(monitor.read(), clock.now()));
        else if (!isRejection(outcome) && !(isPart && policyOf(outcome).spoilsBatch))
          monitor.become(health.unanswered(monitor.read(), outcome, monitor.moment()));
        return outcome;
      };
    },
    serviceFailed: (failure) => {
      monitor.become(health.attempted(monitor.read(), { failure, sentAt: clock.now() }, monitor.moment()));
    },
    flagsLost: () => monitor.read().watch.flagsLost,
    polled: (failure) => {
      monitor.become(health.polled(monitor.read(), failure));
    },
    watched: (condition, failure) => {
      const checkInMs = isWatchShared ? SHARED_CHECKS_MS * random() : 0;
      monitor.become(health.watched(monitor.read(), condition, failure, monitor.moment(), checkInMs));
    },
    check: () => monitor.check(),
    refusal,
    checkCredentials: async () => {
      if (!monitor.isClosed() && monitor.read().rejected === undefined) await monitor.check();
    },
    close: (failure) => {
      monitor.close(failure);
    },
  };
}

/**
 * Returns what an outcome says about the service's health; `undefined` if it says nothing. An outcome says nothing if
 * no request was sent. A 500 proves nothing, either, because a flag or the service may have caused it; while the
 * circuit is closed, the parts of its batch show which.
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

/** For this time after a check has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

/**
 * Finds out with a check what a 401 or 403 was about. If the check is rejected, too, the service rejects the
 * credentials. If the check passes, the service has rejected this request alone, which then fails as `refused-request`.
 */
class Rejections {
  /** The time when a check last passed. */
  private acceptedAt = -Infinity;

  constructor(
    private readonly monitor: HealthMonitor,
    /** Returns a number that changes when other credentials are sent. */
    private readonly credentialsVersion: () => number,
    private readonly clock: Clock,
  ) {}

  judged(askAtOnce: AskAtOnce): AskAtOnce {
    return async (questions) => {
      const sentWith = this.credentialsVersion();
      const first = await askAtOnce(questions);
      if (!isRejection(first) || !(await this.areCredentialsAccepted())) return first;
      // A single 401, for example from one instance of many, changes no state, so the request is sent again. After a
      // 403, sending it again helps only if the check has refreshed the credentials.
      const isWorthIt = first.kind === 'unauthorized' || this.credentialsVersion() !== sentWith;
      const second = isWorthIt ? await askAtOnce(questions) : first;
      return isRejection(second) ? { ...second, kind: 'refused-request' } : second;
    };
  }

  private async areCredentialsAccepted(): Promise<boolean> {
    if (this.monitor.read().rejected !== undefined) return false;
    if (this.clock.now() - this.acceptedAt < ACCEPTED_FOR_MS) return true;
    const isAccepted = (await this.monitor.check()) === undefined;
    if (isAccepted) this.acceptedAt = this.clock.now();
    return isAccepted;
  }
}

function isRejection(outcome: BatchOutcome): outcome is Failure {
  return isFailure(outcome) && rejectsCredentials(outcome);
}
