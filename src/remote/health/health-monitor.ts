import type { Reporter } from '../../model/events/reporter.js';
import type { HealthCheck } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { type Clock, halfToAll, oneTimer, type OneTimer } from '../../base/time/clock.js';
import { coalesced, type Coalesced } from '../../base/time/background-work.js';
import type { Attempt, CircuitSettings, Moment } from './circuit-breaker.js';
import * as health from './health-transitions.js';

/**
 * Owns the state of Flipt's health, and sends the health checks. The monitor has one timer, and sends one check at a
 * time.
 */
export class HealthMonitor {
  private state = health.HEALTHY;
  /**
   * The failure with which a start of the provider ends if the monitor is closed. This member is `undefined` until the
   * monitor is closed.
   */
  private closed: Failure | undefined;
  private endStart: (failure: Failure | undefined) => void = () => undefined;
  private readonly timer: OneTimer;
  private readonly checks: Coalesced<Failure | undefined>;

  constructor(
    private readonly ask: HealthCheck,
    /** The settings of the circuit breaker, or `undefined` if the circuit never opens. */
    private readonly breaker: CircuitSettings | undefined,
    private readonly runtime: Runtime,
  ) {
    this.timer = oneTimer(runtime.clock);
    this.checks = coalesced(
      () => this.checkOnce(),
      () => {
        this.schedule();
      },
    );
  }

  read(): health.Health {
    return this.state;
  }

  become(next: health.Health): void {
    const before = this.state;
    if (this.closed !== undefined || next === before) return;
    this.state = next;
    reportChange(before, next, this.runtime);
    this.schedule();
  }

  /**
   * Returns the present time, a function for random delays, and the settings, for the functions that return the next
   * state.
   */
  moment(): Moment {
    const { clock, random } = this.runtime;
    return { now: clock.now(), jitter: (ms) => halfToAll(ms, random()), breaker: this.breaker };
  }

  /**
   * Sends a health check. Resolves with the failure, or with `undefined` if Flipt answers, and never rejects.
   * Concurrent callers share one check.
   */
  check(): Promise<Failure | undefined> {
    const before = this.checks.underWay();
    const result = this.checks();
    if (this.checks.underWay() !== before) this.become(health.checking(this.state));
    return result;
  }

  isChecking(): boolean {
    return this.checks.underWay() !== undefined;
  }

  /**
   * Begins a start of the provider, and sends health checks. The start ends when Flipt answers a check or rejects the
   * credentials, when `withinMs` milliseconds have passed, or when the monitor is closed. If `isShort` is `true`, the
   * start ends after its first check at the latest. Resolves with the failure, or with `undefined` if Flipt has
   * answered.
   */
  start(withinMs: number, isShort = false): Promise<Failure | undefined> {
    if (this.closed !== undefined) return Promise.resolve(this.closed);
    const result = new Promise<Failure | undefined>((resolve) => {
      this.endStart = resolve;
    });
    this.become(health.started(this.state, withinMs, isShort, this.runtime.clock.now()));
    void this.check();
    return result;
  }

  isClosed(): boolean {
    return this.closed !== undefined;
  }

  /**
   * Stops the timer, and ends a start in progress with this failure. A closed monitor reports no changes of the health.
   */
  close(failure: Failure): void {
    this.closed = failure;
    this.timer.stop();
    this.endStart(failure);
  }

  private schedule(): void {
    this.timer.stop();
    const { starting } = this.state;
    const until = starting?.until ?? Infinity;
    const at = this.isChecking() ? until : Math.min(health.nextCheckAt(this.state), until);
    if (at === Infinity || this.closed !== undefined) return;
    const delayMs = Math.max(0, Math.ceil(at - this.runtime.clock.now()));
    const due = () => {
      if (at === until) this.giveUpStart();
      else void this.check();
    };
    // During a start, the timer keeps the process alive, because a caller waits for the start. No caller waits for a
    // health check in the background.
    this.timer.set(delayMs, due, starting === undefined ? 'background' : 'awaited');
  }

  private giveUpStart(): void {
    const failure = this.state.starting?.failure;
    if (failure === undefined) return;
    this.become(health.startFailed(this.state, failure, this.moment()));
    this.endStart(failure);
  }

  private async checkOnce(): Promise<Failure | undefined> {
    const failure = await this.ask();
    const wasStarting = this.state.starting !== undefined;
    this.become(health.checked(this.state, failure, this.moment()));
    if (wasStarting && this.state.starting === undefined) this.endStart(failure);
    return failure;
  }
}

function reportChange(before: health.Health, after: health.Health, { wants, report }: Reporter): void {
  const { circuit } = after;
  if (circuit.state !== before.circuit.state && wants['circuit-changed']) {
    const failure = circuit.state === 'closed' ? undefined : circuit.failure;
    report({ type: 'circuit-changed', state: circuit.state, failure });
  }
  if (!wants['health-changed']) return;
  const [was, is] = [health.problemsOf(before), health.problemsOf(after)];
  if ([...was.keys()].join() === [...is.keys()].join()) return;
  report({ type: 'health-changed', before: was, after: is, starting: before.starting !== undefined });
}

/**
 * If Flipt has responded to another request less than this many milliseconds ago, a request might fail because of its
 * context, and not because Flipt is down.
 */
const DOUBTFUL_FOR_MS = 10_000;
/**
 * For this many milliseconds after a health check has kept the circuit closed, `CircuitOpening` sends no other health
 * check.
 */
const DECIDED_EVERY_MS = 1_000;

/**
 * Opens the circuit if too many requests fail. As long as Flipt answers other requests, the circuit opens only if a
 * health check fails, too. A firewall in front of Flipt might reject the contexts of some requests, and let all others
 * pass. A firewall that rejects contexts usually lets a health check pass, because the context of the check is empty.
 */
export class CircuitOpening {
  /**
   * The last time at which a health check kept the circuit closed, because the check passed, or failed in a way that
   * does not count for the circuit.
   */
  private keptClosedAt = -Infinity;

  constructor(
    private readonly state: HealthMonitor,
    private readonly clock: Clock,
  ) {}

  requestEnded(attempt: Attempt): void {
    const { state } = this;
    const before = state.read();
    const next = health.attempted(before, attempt, state.moment());
    const opens = before.circuit.state === 'closed' && next.circuit.state === 'open';
    // If a health check has failed since Flipt's last response, for example because a batch had failed, no further
    // check is needed.
    const isUnchecked =
      before.checkFailedAt <= before.heardAt && this.clock.now() - before.heardAt < DOUBTFUL_FOR_MS;
    // The caller of `requestEnded` does not wait for the health check that decides whether the circuit opens.
    if (opens && isUnchecked) void this.openIfCheckFails(next);
    else state.become(next);
  }

  private async openIfCheckFails({ circuit }: health.Health): Promise<void> {
    const { state, clock } = this;
    if (state.isChecking() || clock.now() - this.keptClosedAt < DECIDED_EVERY_MS) return;
    const failure = await state.check();
    if (failure === undefined || policyOf(failure).countsForCircuit === 'no') this.keptClosedAt = clock.now();
    else if (state.read().circuit.state === 'closed') state.become({ ...state.read(), circuit });
  }
}
