import { describe, expect, it } from 'vitest';
import {
  left,
  leaseMs,
  NEWCOMER,
  pollFailed,
  polled,
  pollSilent,
  renewalMs,
  turned,
  wantedLeaseMs,
} from '../../../src/snapshot/shared/lease.js';

const POLL_MS = 15_000;
const HOLDER = turned(NEWCOMER, { fence: 5, time: 0 });

describe('an instance', () => {
  it('wants the lease from the start', () => {
    expect(wantedLeaseMs(NEWCOMER, POLL_MS, 0)).toBe(15_000);
  });

  it('holds it once the store has given it, and not when the store fails', () => {
    expect(HOLDER.fence).toBe(5);
    expect(turned(HOLDER, { fence: 5, time: 1 })).toBe(HOLDER);
    expect(turned(HOLDER, { time: 1 }).fence).toBeUndefined();
    expect(turned(HOLDER, undefined).fence).toBeUndefined();
  });

  it('gives it up after three failures in a row, and leaves it to others for more than an interval', () => {
    const twice = pollFailed(pollFailed(HOLDER, true, POLL_MS, 0), true, POLL_MS, 0);
    expect(twice.fence).toBe(5);
    expect(pollFailed(polled(twice), true, POLL_MS, 0).fence).toBe(5);
    const given = pollFailed(twice, true, POLL_MS, 100);
    expect(given).toEqual(left(POLL_MS, 100));
    expect(given.fence).toBeUndefined();
    expect(wantedLeaseMs(given, POLL_MS, 100 + 1.2 * POLL_MS)).toBe(0);
    expect(wantedLeaseMs(given, POLL_MS, 100 + 1.3 * POLL_MS)).toBe(15_000);
  });

  it('renews it no more after a poll without an answer, and gives it up after the second', () => {
    const silent = pollSilent(HOLDER, true, POLL_MS, 100);
    expect(silent.fence).toBe(5);
    expect(wantedLeaseMs(silent, POLL_MS, 200)).toBe(0);
    expect(pollSilent(silent, true, POLL_MS, 200)).toEqual(left(POLL_MS, 200));
    expect(wantedLeaseMs(polled(silent), POLL_MS, 200)).toBe(15_000);
    expect(pollSilent(pollFailed(HOLDER, true, POLL_MS, 0), true, POLL_MS, 100)).toEqual(left(POLL_MS, 100));
    expect(pollSilent(HOLDER, false, POLL_MS, 100)).toEqual(left(POLL_MS, 100));
  });

  it('gives it up at once if it has no snapshot at all: others would wait for nothing', () => {
    expect(pollFailed(HOLDER, false, POLL_MS, 0).fence).toBeUndefined();
  });

  it.each([1, 50, 1_000, POLL_MS])(
    'with pollMs %d, a lease and a look fit into 2.4 intervals, or 0.1 s more',
    (pollMs) => {
      expect(leaseMs(pollMs) + 1.2 * pollMs).toBeLessThan(2.4 * pollMs + 100);
      expect(3 * renewalMs(pollMs)).toBeLessThanOrEqual(leaseMs(pollMs));
      expect(Number.isInteger(leaseMs(pollMs))).toBe(true);
    },
  );
});
