/** Work that may take long, in steps of microseconds: others may run between any two of them. */
export type Steps<Result> = Generator<undefined, Result>;

/** Does all steps now. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Does the steps, and waits after each one for as long as `pause` says. Without a pause, the result is there at once:
 * most work is small.
 */
export function withPauses<Result>(
  steps: Steps<Result>,
  pause: () => Promise<void> | undefined,
): Result | Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const turn = pause();
    if (turn !== undefined) return turn.then(() => withPauses(steps, pause));
  }
}
