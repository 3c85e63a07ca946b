import { onTestFinished } from 'vitest';
import { systemClock, type Clock, type TimerKind } from '../../src/base/time/clock.js';
import { START_WAIT_MS } from '../../src/snapshot/source.js';
import { PATIENCE_MS } from '../eventually.fixture.js';

/** Makes a timer of the system's clock last as long as `lasting` says, until the test has finished. */
function withTimers(lasting: (ms: number, kind: TimerKind) => number): void {
  const real = { ...systemClock };
  const after: Clock['after'] = (ms, run, kind = 'awaited') => real.after(lasting(ms, kind), run, kind);
  Object.assign(systemClock, { after });
  onTestFinished(() => {
    Object.assign(systemClock, real);
  });
}

/** Makes each time that somebody waits for last as long as `lasting` says, until the test has finished. */
export function retimed(lasting: (ms: number) => number): void {
  withTimers((ms, kind) => (kind === 'awaited' ? lasting(ms) : ms));
}

/** Makes the times that `isOver` is true of end at once, so that nobody waits for them, until the test has finished. */
export function hurry(isOver: (ms: number) => boolean): void {
  retimed((ms) => (isOver(ms) ? 0 : ms));
}

/**
 * Makes background work wait for `mostMs` at most, until the test has finished. A machine that stalls while a whole
 * snapshot is on its way would otherwise make the polls rare, because the interval is 20 times as long as that took.
 */
export function hurryBackground(mostMs: number): void {
  withTimers((ms, kind) => (kind === 'awaited' ? ms : Math.min(ms, mostMs)));
}

/**
 * Makes a start wait for a slow disk or store, until the test has finished. Otherwise it goes on without it after 250
 * ms.
 */
export function patientWithStores(): void {
  retimed((ms) => (ms === START_WAIT_MS ? PATIENCE_MS : ms));
}
