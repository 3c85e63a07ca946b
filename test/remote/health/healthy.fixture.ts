import { vi } from 'vitest';
import { serviceHealth, type HealthSettings } from '../../../src/remote/health/service-health.js';
import type { HealthCheck } from '../../../src/model/answer.js';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import type { Reply } from '../../../src/http/reply.js';
import type { Answer } from '../../../src/model/answer.js';
import type { Failure } from '../../../src/model/failure.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { failedWith, replied, REQUEST, sending } from '../../http/outcomes.fixture.js';

export const SETTINGS = { failures: 3, openForMs: 1_000, maxOpenForMs: 4_000 };
export const DOWN = failedWith('connection');
export const UNAVAILABLE = replied(503);
export const REJECTED: Failure = { kind: 'unauthorized', message: 'no' };
export const NO_CREDENTIALS: Failure = { kind: 'credentials', message: 'no file' };

/** Makes the service's health, over requests with given outcomes, with checks that fail and without jitter. */
export function setUp(
  outcomes: readonly (Reply | Failure)[] = [UNAVAILABLE],
  more: Partial<HealthSettings & { random: () => number }> = {},
) {
  const clock = manualClock();
  const checkedAt: number[] = [];
  const outcome = vi.fn<HealthCheck>(() => Promise.resolve(DOWN));
  const check = () => {
    checkedAt.push(clock.now());
    return outcome();
  };
  const diagnostics = openDiagnostics();
  const problems = vi.fn<(problems: readonly Problem[]) => void>();
  diagnostics.listen('health-changed', ({ after }) => {
    problems([...after.keys()]);
  });
  const states: string[] = [];
  diagnostics.listen('circuit-changed', ({ state }) => states.push(state));
  let version = 0;
  const settings = {
    check,
    credentialsVersion: () => version,
    breaker: SETTINGS,
    ...more,
  };
  const service = serviceHealth(settings, runtimeOf(clock, diagnostics, more.random ?? (() => 1)));
  const { send, sent } = sending(...outcomes);
  const guarded = service.throughCircuit(send);
  const ask = async (times = 1) => {
    const ended = [];
    for (let time = 0; time < times; time++) ended.push(await guarded(REQUEST));
    return ended;
  };
  /** Sends whole requests that all have the same outcome. */
  const request = async (what: readonly Answer[] | Failure, times = 1) => {
    const observed = service.observed(() => Promise.resolve(what));
    for (let time = 0; time < times; time++) await observed([]);
  };
  return {
    clock,
    diagnostics,
    service,
    check: outcome,
    checkedAt,
    sent,
    guarded,
    ask,
    request,
    /** Makes the requests send other credentials from now on. */
    changeCredentials: () => {
      version++;
    },
    /** The states of the circuit, in order. */
    states,
    /** Returns the problems after each change, in order. */
    changes: () => problems.mock.calls.map(([all]) => all.join(' + ')),
    problems: () => problems.mock.calls.at(-1)?.[0] ?? [],
  };
}
