import type { Reporter } from '../../model/events/reporter.js';
import type { HealthCheck } from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { type Clock, halfToAll, oneTimer } from '../../base/time/clock.js';
import { coalesced } from '../../base/time/background-work.js';
import type { Attempt, CircuitSettings, Moment } from './circuit-breaker.js';
import * as health from './health-transitions.js';

export type HealthState = ReturnType<typeof openHealth>;

/** The only owner of the answer to "is the service healthy?": one state, one timer, one check at a time. */
export function openHealth(check: HealthCheck, breaker: CircuitSettings | undefined, runtime: Runtime) {
  const { clock } = runtime;
  let state = health.HEALTHY;
  /** The failure of a start that ends after the close; `undefined` until the close. */
  let closed: Failure | undefined;
  const timer = oneTimer(clock);
  let endStart: (failure: Failure | undefined) => void = () => undefined;

  const jitter = (ms: number) => halfToAll(ms, runtime.random());
  const moment = (): Moment => ({ now: clock.now(), jitter, breaker });

  const become = (next: health.Health) => {
    const before = state;
    if (closed !== undefined || next === before) return;
    state = next;
    reportChange(before, next, runtime);
    schedule();
  };

  const schedule = () => {
    timer.stop();
    const until = state.starting?.until ?? Infinity;
    const at = checks.underWay() ? until : Math.min(health.nextCheckAt(state), until);
    if (at === Infinity || closed !== undefined) return;
    const delayMs = Math.max(0, Math.ceil(at - clock.now()));
    const due = at === until ? giveUpStart : () => void runCheck();
    // A caller waits for the start. Nobody waits for a background check.
    timer.set(delayMs, due, state.starting === undefined ? 'background' : 'awaited');
  };

  const giveUpStart = () => {
    const failure = state.starting?.failure;
    if (failure === undefined) return;
    become(health.startFailed(state, failure, moment()));
    endStart(failure);
  };

  const checkOnce: HealthCheck = async () => {
    const failure = await check();
    const wasStarting = state.starting !== undefined;
    become(health.checked(state, failure, moment()));
    if (wasStarting && state.starting === undefined) endStart(failure);
    return failure;
  };
  const checks = coalesced(checkOnce, schedule);
  const runCheck: HealthCheck = () => {
    const before = checks.underWay();
    const result = checks();
    if (checks.underWay() !== before) become(health.checking(state));
    return result;
  };

  return {
    read: () => state,
    become,
    moment,
    check: runCheck,
    checks,
    /**
     * Checks the service until it answers, rejects the credentials, or the time is up. A short start ends after its
     * first check, whatever the outcome.
     */
    start: (withinMs: number, isShort = false): Promise<Failure | undefined> => {
      if (closed !== undefined) return Promise.resolve(closed);
      const result = new Promise<Failure | undefined>((resolve) => {
        endStart = resolve;
      });
      become(health.started(state, withinMs, isShort, clock.now()));
      void runCheck();
      return result;
    },
    isClosed: () => closed !== undefined,
    /** Stops the timer. A start in progress ends with this failure. Nothing is reported any more. */
    close: (failure: Failure) => {
      closed = failure;
      timer.stop();
      endStart(failure);
    },
  };
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

/** So long after the service has answered any request, the context of others may be what makes them fail. */
const DOUBTFUL_FOR_MS = 10_000;
/** So often a check may decide whether the circuit opens. */
const DECIDED_EVERY_MS = 1_000;

/**
 * Learns from attempts, of which too many that fail open the circuit. A firewall in front of the service may let some
 * contexts fail, and no others. So while requests are answered, the circuit opens only if a check, which sends no
 * context, fails as well.
 */
export function circuitOpening(state: HealthState, clock: Clock) {
  const { read, become, moment, check, checks } = state;
  /** When a check last kept the circuit closed. */
  let keptClosedAt = -Infinity;

  const openIfCheckFails = async ({ circuit }: health.Health) => {
    if (checks.underWay() || clock.now() - keptClosedAt < DECIDED_EVERY_MS) return;
    const failure = await check();
    if (failure === undefined || policyOf(failure).countsForCircuit === 'no') keptClosedAt = clock.now();
    else if (read().circuit.state === 'closed') become({ ...read(), circuit });
  };

  return (attempt: Attempt) => {
    const before = read();
    const next = health.attempted(before, attempt, moment());
    const opens = before.circuit.state === 'closed' && next.circuit.state === 'open';
    // A check that has failed since then, such as that of a search, is enough.
    const isUnchecked =
      before.checkFailedAt <= before.heardAt && clock.now() - before.heardAt < DOUBTFUL_FOR_MS;
    // Nobody waits for the check.
    if (opens && isUnchecked) void openIfCheckFails(next);
    else become(next);
  };
}
