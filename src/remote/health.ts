import { coalesced } from '../base/time/background-work.js';
import { halfToAll, oneTimer } from '../base/time/clock.js';
import type { LoopTime } from '../base/time/loop-time.js';
import { isFailure, type AskAtOnce } from '../model/answer.js';
import type { Problem, WatchCondition } from '../model/events/flipt-event.js';
import { policyOf, rejectsCredentials, type Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';

/*
 * Only health checks, which are about no flag, say that Flipt is sick: `breaker.failures` of them in a row, or one whose
 * credentials it rejects. A failed request asks for one. While Flipt is sick, no evaluation is sent, and checks go on
 * until one passes. An evaluation that was under way and is answered also says that Flipt is well.
 */

/** The worst first. */
export type Problems = ReadonlyMap<Problem, Failure>;

export function sicknessIn(problems: Problems): Failure | undefined {
  return problems.get('unreachable') ?? problems.get('credentials-rejected');
}

export interface HealthSettings {
  /** Sent even while Flipt is sick, with why it has failed. Never rejects. */
  readonly check: () => Promise<Failure | undefined>;
  /** `undefined`: evaluations are sent even while Flipt is sick. */
  readonly breaker: BreakerSettings | undefined;
  /** Whether one instance polls for many, which then notice at the same moment that its polls fail. */
  readonly isWatchShared?: boolean;
  readonly time: LoopTime;
  /** Called when problems have begun or ended. */
  readonly changed?: (before: Problems, after: Problems) => void;
  /** Called when Flipt answers again: what has changed meanwhile is not known yet. */
  readonly recovered?: () => void;
}

interface BreakerSettings {
  /** So many checks must fail one after another. */
  readonly failures: number;
  readonly openForMs: number;
  readonly maxOpenForMs: number;
}

/** Requests that fail ask for at most one check in this time. */
const CHECK_EVERY_MS = 1_000;
/** In a partial outage some checks pass, and looking for a bad question would add to Flipt's load. */
const FAILED_CHECK_COUNTS_MS = 5_000;
const SLOW_MS = 200;
/**
 * Behind a queue of 500 ms, a check may be only a third slower, because the queue shrinks as soon as its requests time
 * out.
 */
const SLOWER = 1.25;
const SHARED_SPREAD_MS = 5_000;
/** Between the checks of a start, and between those that decide whether Flipt is sick. */
const PAUSE_MS = { first: 100, longest: 1_000 };
const WITHOUT_BREAKER: BreakerSettings = { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 };
const UNCONFIRMED: Failure = {
  kind: 'timeout',
  message: 'Flipt has not confirmed the snapshot for three intervals',
};
/** The worst first. */
const PROBLEMS = [
  'unreachable',
  'credentials-rejected',
  'flags-lost',
  'watch-lost',
] as const satisfies readonly Problem[];

export function serviceHealth(
  { check, breaker, isWatchShared = false, time, changed, recovered }: HealthSettings,
  { clock, random, report }: Pick<Runtime, 'clock' | 'random' | 'report'>,
) {
  const { failures, openForMs, maxOpenForMs } = breaker ?? WITHOUT_BREAKER;
  const timer = oneTimer(clock);
  let problems: Problems = new Map();
  let failedInARow = 0;
  let checkedAt = -Infinity;
  let failedAt = -Infinity;
  let isSlow = false;
  let fastestMs = Infinity;
  let waitMs = 0;
  /** No check has passed since the watch was lost. */
  let isLossNew = false;
  let isStarting = false;
  let closed: Failure | undefined;
  const closedBy = () => closed;
  let endStart: (failure: Failure) => void = () => undefined;

  const sickness = () => sicknessIn(problems);
  const refusal = (): Failure | undefined => {
    const failure = breaker && sickness();
    // Where there are no credentials to send, the next evaluation may find some.
    if (failure === undefined || failure.kind === 'credentials') return undefined;
    if (policyOf(failure).cause === 'credentials') return failure;
    const why = `the circuit is open: no requests are sent after repeated failures; the last: ${failure.message}`;
    return { kind: 'circuit-open', message: why };
  };

  const become = (found: Readonly<Partial<Record<Problem, Failure | undefined>>>) => {
    if (closed !== undefined) return;
    const before = problems;
    const all = { ...Object.fromEntries(before), ...found };
    const wasRefused = refusal() !== undefined;
    problems = new Map(
      PROBLEMS.flatMap((problem) => {
        const failure = all[problem];
        return failure === undefined ? [] : [[problem, failure] as const];
      }),
    );
    const isRefused = refusal();
    if ((isRefused !== undefined) !== wasRefused)
      report({ type: 'circuit-changed', state: isRefused ? 'open' : 'closed', failure: sickness()?.kind });
    const [was, is] = [[...before.keys()], [...problems.keys()]];
    if (was.join() === is.join()) return;
    changed?.(before, problems);
    report({ type: 'health-changed', before: was, after: is, starting: isStarting });
  };

  const well = () => {
    const isNews = sickness() !== undefined || isLossNew;
    isLossNew = false;
    failedInARow = waitMs = 0;
    timer.stop();
    become({ unreachable: undefined, 'credentials-rejected': undefined });
    if (isNews && !isStarting) recovered?.();
  };
  const sick = (failure: Failure) => {
    const isRejected = policyOf(failure).cause === 'credentials';
    become({
      unreachable: isRejected ? undefined : failure,
      'credentials-rejected': isRejected ? failure : undefined,
    });
  };
  const checkLater = (tookMs: number) => {
    if (isStarting || closed !== undefined) return;
    if (sickness() === undefined) {
      timer.set(Math.max(0, pauseAfter(failedInARow) - tookMs), () => void checkNow());
      return;
    }
    waitMs = waitMs === 0 ? openForMs : Math.min(waitMs * 2, Math.max(openForMs, maxOpenForMs));
    timer.set(halfToAll(waitMs, random()), () => void checkNow());
  };

  const checkNow = coalesced(async () => {
    if (closed !== undefined) return closed;
    const since = clock.now();
    const failure = await check();
    if (closedBy() !== undefined) return closedBy();
    const tookMs = clock.now() - since;
    if (failure === undefined) {
      checkedAt = clock.now();
      fastestMs = Math.min(fastestMs, tookMs);
      isSlow = tookMs > Math.max(SLOW_MS, SLOWER * fastestMs);
      well();
      return undefined;
    }
    // A check that this process itself has spoilt, for example by blocking its event loop, says nothing about Flipt.
    if (policyOf(failure).cause !== 'provider') {
      checkedAt = failedAt = clock.now();
      failedInARow++;
      const isRejected = policyOf(failure).cause === 'credentials';
      if (isRejected || failedInARow >= failures || sickness() !== undefined) sick(failure);
    }
    checkLater(tookMs);
    return failure;
  });

  const failed = (failure: Failure): void => {
    const { cause } = policyOf(failure);
    const mayBeSick = cause === 'service' || cause === 'question' || cause === 'credentials';
    if (!mayBeSick || isStarting || sickness() !== undefined) return;
    const dueInMs = checkedAt + CHECK_EVERY_MS - clock.now();
    if (dueInMs > 0) timer.ensure(dueInMs, () => void checkNow());
    else void checkNow();
  };

  const attempts = async (withinMs: number, isShort: () => boolean): Promise<Failure | undefined> => {
    const until = time.now() + withinMs;
    const ended = new Promise<Failure>((end) => (endStart = end));
    const late: Failure = {
      kind: 'timeout',
      message: `Flipt did not answer within ${Math.round(withinMs)} ms (initTimeoutMs)`,
    };
    for (let attempt = 1; ; attempt++) {
      const pauseMs = pauseAfter(attempt);
      const failure = await time.orLate(Promise.race([checkNow(), ended]), until);
      if (failure === 'late') return late;
      if (failure === undefined || closed !== undefined || isShort() || rejectsCredentials(failure))
        return closed ?? failure;
      if (time.now() + pauseMs >= until) return failure;
      await time.orLate(ended, time.now() + pauseMs);
    }
  };

  return {
    problems: () => problems,
    isStarting: () => isStarting,
    refusal,
    check: checkNow,

    /** Checks until one passes, Flipt rejects the credentials, or the time is up; with `isShort` only once. */
    async start(withinMs: number, isShort = () => false): Promise<Failure | undefined> {
      if (closed !== undefined) return closed;
      isStarting = true;
      const failure = await attempts(withinMs, isShort);
      if (failure !== undefined) sick(failure);
      isStarting = false;
      // Whatever fails from now on is checked at once.
      checkedAt = -Infinity;
      if (failure !== undefined) checkLater(0);
      return failure;
    },

    /** Whether the service, and not one question, explains why a request has failed. */
    async explains({ kind }: Failure): Promise<boolean> {
      if (clock.now() - checkedAt >= CHECK_EVERY_MS) await checkNow();
      if (sickness() !== undefined || clock.now() - failedAt < FAILED_CHECK_COUNTS_MS) return true;
      return kind === 'timeout' && isSlow;
    },

    answered(): void {
      if (failedInARow > 0 || sickness() !== undefined) well();
    },

    failed,

    polled(failure: Failure | undefined): void {
      // Where no flag needs a request, only polls show that a token was revoked.
      if (failure !== undefined && policyOf(failure).cause === 'credentials') failed(failure);
      const lost = problems.get('watch-lost');
      // While polls fail for another reason, nobody knows whether the flags are back.
      const flagsLost = failure?.kind === 'flags-lost' ? failure : failure && problems.get('flags-lost');
      become({ 'flags-lost': flagsLost, 'watch-lost': lost && (failure ?? lost) });
    },

    watched(condition: WatchCondition, failure: Failure | undefined): void {
      const isLost = condition === 'lost';
      isLossNew = isLost;
      become({ 'watch-lost': isLost ? (failure ?? UNCONFIRMED) : undefined });
      if (isLost && sickness() === undefined && !isStarting)
        timer.set(isWatchShared ? SHARED_SPREAD_MS * random() : 0, () => void checkNow());
    },

    close(failure: Failure): void {
      closed = failure;
      timer.stop();
      endStart(failure);
    },
  };
}

function pauseAfter(attempts: number): number {
  return Math.min(PAUSE_MS.first * 2 ** (attempts - 1), PAUSE_MS.longest);
}

export type ServiceHealth = ReturnType<typeof serviceHealth>;

/** Asks through `health`. A 401 or 403 that a check does not confirm concerns this request alone. */
export function askingHealthy(
  ask: AskAtOnce,
  health: Pick<ServiceHealth, 'refusal' | 'answered' | 'failed' | 'explains'>,
): AskAtOnce {
  return async (questions) => {
    const outcome = health.refusal() ?? (await ask(questions));
    if (!isFailure(outcome)) health.answered();
    else if (rejectsCredentials(outcome))
      return (await health.explains(outcome)) ? outcome : { ...outcome, kind: 'refused-request' };
    else health.failed(outcome);
    return outcome;
  };
}
