import { onTestFinished } from 'vitest';
import { systemClock, type Clock, type TimerKind } from '../../src/base/time/clock.js';
import { START_WAIT_MS } from '../../src/snapshot/snapshot-source.js';
import { PATIENCE_MS } from '../eventually.fixture.js';

/** Until the test has finished, a timer of the system's clock lasts as long as `lasting` says. */
function withTimers(lasting: (ms: number, kind: TimerKind) => number): void {
  const real = { ...systemClock };
  const after: Clock['after'] = (ms, run, kind = 'awaited') => real.after(lasting(ms, kind), run, kind);
  Object.assign(systemClock, { after });
  onTestFinished(() => {
    Object.assign(systemClock, real);
  });
}

/** Until the test has finished, a time that somebody waits for lasts as long as `lasting` says. */
export function retimed(lasting: (ms: number) => number): void {
  withTimers((ms, kind) => (kind === 'awaited' ? lasting(ms) : ms));
}

/** Until the test has finished, nobody waits for times that this is true of: they are over at once. */
export function hurry(isOver: (ms: number) => boolean): void {
  retimed((ms) => (isOver(ms) ? 0 : ms));
}

/**
 * Until the test has finished, background work waits for so long at most. A machine that stalls while a whole snapshot
 * is on its way would otherwise make the polls rare: the interval is 20 times as long as that took.
 */
export function hurryBackground(mostMs: number): void {
  withTimers((ms, kind) => (kind === 'awaited' ? ms : Math.min(ms, mostMs)));
}

/** Until the test has finished, a start waits for a disk or a store that is slow. It goes on without after 250 ms. */
export function patientWithStores(): void {
  retimed((ms) => (ms === START_WAIT_MS ? PATIENCE_MS : ms));
}
