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
  /** Asks the service a question that concerns no flag. The request is sent even if the circuit is open. */
  readonly check: HealthCheck;
  /** Returns a number that changes when other credentials are sent. */
  readonly credentialsVersion: () => number;
  /** The settings of the circuit breaker, or `undefined` if the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
  /**
   * Whether many instances share one watch of the snapshot, so that all of them lose the watch at the same moment.
   * Default: false.
   */
  readonly isWatchShared?: boolean | undefined;
}

/**
 * If many instances lose the shared watch of the snapshot, each checks the service at a random moment within these
 * milliseconds.
 */
const SHARED_CHECKS_MS = 5_000;

/**
 * Judges by the outcomes of requests whether the service is healthy, and decides which requests are sent. No promise of
 * these functions rejects.
 */
export interface ServiceHealth {
  /**
   * Checks the service again and again until the service answers or rejects the credentials, or until `withinMs` has
   * passed. Resolves with the failure of the start, or with `undefined` if the service has answered. A short start ends
   * after its first check, whatever the outcome.
   */
  readonly start: (withinMs: number, isShort?: boolean) => Promise<Failure | undefined>;
  /**
   * Returns a function that sends a request if the circuit is closed, and counts the outcome for the circuit breaker.
   */
  readonly throughCircuit: (send: Send) => Send;
  /**
   * Returns a function that sends a batch, and changes the health by the outcome. If `isPart` is true, the function
   * sends parts of batches that have failed. If a part fails for a reason that a question can cause, the failure does
   * not change the health, because a bad question was expected in one of the parts.
   */
  readonly observed: (askAtOnce: AskAtOnce, isPart?: boolean) => AskAtOnce;
  /**
   * To be called when a check has failed after this failure. The circuit breaker then counts `failure` as a failure of
   * the service. An example is a service that answers every request with status 500.
   */
  readonly serviceFailed: (failure: Failure) => void;
  /**
   * Returns why the service no longer has any flags although it had some before, or `undefined` if the service has
   * flags as far as the provider knows.
   */
  readonly flagsLost: () => Failure | undefined;
  /** To be called when a poll of the snapshot has ended. `failure` is `undefined` if the poll succeeded. */
  readonly polled: (failure: Failure | undefined) => void;
  /**
   * To be called when the watch of the snapshot has a new state, `condition`. If `condition` is `lost`, a check of the
   * service follows within 5 s.
   */
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  /**
   * Checks the service by a question that concerns no flag and no context. Resolves with the failure, or with
   * `undefined` if the service answers. Concurrent callers share one check.
   */
  readonly check: () => Promise<Failure | undefined>;
  /** Returns why a request would not be sent now, or `undefined` if the request would be sent. */
  readonly refusal: () => Failure | undefined;
  /**
   * Checks whether the service accepts the credentials, unless the service is known to reject them. To be called when
   * the service has rejected the credentials of a poll.
   */
  readonly checkCredentials: () => Promise<void>;
  /** Ends a start in progress with this failure. After this call, no change of the health is reported any more. */
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
        // If the outcome is a rejection of the credentials, this function does not change the health. If a check has
        // shown that the service rejects the credentials, the check has changed the health already. If the check has
        // failed for another reason, it is not known whether the service rejects the credentials or only this request.
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
 * Returns what an outcome proves about the service, or `undefined` if the outcome proves nothing. An outcome proves
 * nothing if no request was sent. A response with status 500 proves nothing either, because one flag or the whole
 * service may be the cause. Sending the parts of the failed batch shows which of the two is the cause.
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

/** For these milliseconds after a check has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

/**
 * Finds out by a check why the service answered a request with status 401 or 403. If the service rejects the check,
 * too, the service rejects the credentials. If the check passes, the service has rejected only this request, which then
 * fails with the kind `refused-request`.
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
      // A single response with status 401, for example from one replica of many, does not mean that the credentials are
      // wrong, so the request is sent again. After a response with status 403, sending the request again helps only if
      // the check has refreshed the credentials.
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
