import { vi } from 'vitest';

/** As long as a busy machine may take: Vitest's own second is too short. Nothing that works takes so long. */
export const PATIENCE_MS = 15_000;

/** Options of a provider whose answers a test expects: no attempt times out, and no default is given, for a stall. */
export const PATIENT = { deadlineMs: PATIENCE_MS, http: { timeoutMs: PATIENCE_MS } } as const;

/** Checks again and again until `check` neither throws nor returns `false`; fails with what it threw last. */
export const eventually = (check: () => unknown): Promise<void> =>
  vi.waitFor(
    async () => {
      if ((await check()) === false) throw new Error('it has not come about');
    },
    { timeout: PATIENCE_MS, interval: 5 },
  );
