import { vi } from 'vitest';

/** This is long enough for a busy machine; Vitest's own second is too short. Working code never needs that long. */
export const PATIENCE_MS = 15_000;

/** The options of a provider whose answers a test expects. With them, a stall causes no time-out and no default. */
export const PATIENT = {
  initTimeoutMs: PATIENCE_MS,
  deadlineMs: PATIENCE_MS,
  http: { timeoutMs: PATIENCE_MS },
} as const;

/** Checks again and again until `check` neither throws nor returns `false`. Fails with its last error. */
export const eventually = (check: () => unknown, patience: 'usual' | 'long' = 'usual'): Promise<void> =>
  // The only place that waits, and so the only one that says for how long.
  vi.waitFor(
    async () => {
      if ((await check()) === false) throw new Error('it has not come about');
    },
    { timeout: patience === 'usual' ? PATIENCE_MS : 4 * PATIENCE_MS, interval: 5 },
  );
