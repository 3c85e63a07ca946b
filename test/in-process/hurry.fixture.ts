import { onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';

/** Until the test has finished, nobody waits for times that this is true of: they are over at once. */
export function hurry(isOver: (ms: number) => boolean): void {
  const after = systemClock.after.bind(systemClock);
  const hurried = vi
    .spyOn(systemClock, 'after')
    .mockImplementation((ms, run, background) =>
      after(background === undefined && isOver(ms) ? 0 : ms, run, background),
    );
  onTestFinished(() => {
    hurried.mockRestore();
  });
}
