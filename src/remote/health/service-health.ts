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
  /** Sends a health check, which is not about any flag. The check is sent even if the circuit is open. */
  readonly check: HealthCheck;
  /** Returns a number that changes when the provider begins to send other credentials. */
  readonly credentialsVersion: () => number;
  /** The settings of the circuit breaker, or `undefined` if the circuit never opens. */
  readonly breaker: CircuitSettings | undefined;
  /**
   * Whether many instances share one store, so that one instance polls for all. Instances that share a store notice at
   * about the same moment that polls fail. Default: false.
   */
  readonly isWatchShared?: boolean | undefined;
}

/**
 * Instances that share a store notice failing polls at about the same moment. To spare Flipt, each instance that shares
 * a store sends its health check at a random moment within this many milliseconds.
 */
const SHARED_CHECKS_MS = 5_000;

/**
 * Finds out from the outcomes of requests whether Flipt is healthy, and decides whether a request for evaluations is
 * sent. The promises that the functions of `ServiceHealth` return never reject.
 */
export interface ServiceHealth {
  /**
   * Begins a start of the provider, and sends health checks. The start ends when Flipt answers a check or rejects the
   * credentials, when `withinMs` milliseconds have passed, or when `close` is called. If `isShort` is `true`, the start
   * ends after its first check at the latest. Resolves with the failure of the start, or with `undefined` if Flipt has
   * answered.
   */
  readonly start: (withinMs: number, isShort?: boolean) => Promise<Failure | undefined>;
  /**
   * Returns a function that sends a request if the circuit is closed, and counts the outcome for the circuit breaker if
   * the outcome shows whether Flipt is healthy.
   */
  readonly throughCircuit: (send: Send) => Send;
  /**
   * Returns a function that sends a batch, and updates Flipt's health from the outcome. If `isPart` is `true`, the
   * returned function sends parts of failed batches. If a part fails for a reason that a question can cause, the
   * failure does not count as an unusable response, because one of the parts was expected to fail.
   */
  readonly observed: (askAtOnce: AskAtOnce, isPart?: boolean) => AskAtOnce;
  /**
   * Counts `failure` for the circuit breaker. Call this function if a health check has failed after `failure`, for
   * example because Flipt answers every request with status 500.
   */
  readonly serviceFailed: (failure: Failure) => void;
  /**
   * Returns the failure `flags-lost` if Flipt has no flags any more although it had some before, and otherwise
   * `undefined`.
   */
  readonly flagsLost: () => Failure | undefined;
  /** Call this function when a poll of the snapshot has ended. `failure` is `undefined` if the poll succeeded. */
  readonly polled: (failure: Failure | undefined) => void;
  /**
   * Call this function when the watch of the snapshot (its polls and its stream) has got the new state `condition`. If
   * `condition` is `lost`, a health check is due within 5 s.
   */
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  /**
   * Sends a health check, which is about no flag and has an empty context. Resolves with the failure, or with
   * `undefined` if Flipt answers. Concurrent callers share one check.
   */
  readonly check: () => Promise<Failure | undefined>;
  /**
   * Returns the reason why the provider would not send a request for evaluations now, or `undefined` if the provider
   * would send it.
   */
  readonly refusal: () => Failure | undefined;
  /**
   * Sends a health check to find out whether Flipt accepts the credentials. The function does nothing after a close, or
   * if the provider already knows that the credentials are rejected or missing. Call this function when a poll has
   * failed because of its credentials.
   */
  readonly checkCredentials: () => Promise<void>;
  /** Ends a start in progress with this failure. After this call, changes of Flipt's health are no longer reported. */
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
      if (proof !== undefined) opening.requestEnded({ ...proof, sentAt });
      return outcome;
    },
    observed(askAtOnce, isPart = false) {
      const ask = rejections.judged(askAtOnce);
      return async (questions) => {
        const outcome = await ask(questions);
        // If Flipt has answered with status 401 or 403, this code does not change the health. If a health check has
        // confirmed that Flipt rejects the credentials, that check has already changed the health. If the health check
        // has failed for a reason other than the credentials, the provider does not know whether Flipt rejects the
        // credentials or only this request.
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
 * Returns what the outcome of a request proves about Flipt, or `undefined` if the outcome proves nothing. An outcome
 * proves nothing if no request was sent. A response with status 500 proves nothing about Flipt, because the cause might
 * be one flag or the whole of Flipt. If a batch of several questions has failed with status 500, a health check usually
 * shows later whether the whole of Flipt is the cause.
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

/** For this many milliseconds after a health check of `Rejections` has passed, the credentials count as accepted. */
const ACCEPTED_FOR_MS = 1_000;

/**
 * Finds out with a health check why Flipt answered a request with status 401 or 403. If Flipt rejects the health check,
 * too, Flipt rejects the credentials. If the health check passes, Flipt accepts the credentials, and the rejected
 * request is sent again if that can help. If the health check passes, but the request is rejected again or is not sent
 * again, the request fails with the kind `refused-request`.
 */
class Rejections {
  /** The time when a health check that `Rejections` waited for last passed. */
  private acceptedAt = -Infinity;

  constructor(
    private readonly monitor: HealthMonitor,
    /** Returns a number that changes when the provider begins to send other credentials. */
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
      // the provider now sends other credentials.
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
