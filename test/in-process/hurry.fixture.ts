import { onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/time/clock.js';

/** Until the test has finished, a time that somebody waits for lasts as long as `lasting` says. */
export function retimed(lasting: (ms: number) => number): void {
  const after = systemClock.after.bind(systemClock);
  const mocked = vi
    .spyOn(systemClock, 'after')
    .mockImplementation((ms, run, background) =>
      after(background === undefined ? lasting(ms) : ms, run, background),
    );
  onTestFinished(() => {
    mocked.mockRestore();
  });
}

/** Until the test has finished, nobody waits for times that this is true of: they are over at once. */
export function hurry(isOver: (ms: number) => boolean): void {
  retimed((ms) => (isOver(ms) ? 0 : ms));
}
