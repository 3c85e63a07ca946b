import { afterAll, beforeAll } from 'vitest';

/** Watches the process while the tests of a file run. The function returns the rejections that nobody handled since its last call. */
export function useUnhandledRejections(): () => Promise<readonly unknown[]> {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  beforeAll(() => {
    process.on('unhandledRejection', note);
  });
  afterAll(() => {
    process.off('unhandledRejection', note);
  });
  return async () => {
    // Node reports a rejection that nobody handles at the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    return rejections.splice(0);
  };
}
