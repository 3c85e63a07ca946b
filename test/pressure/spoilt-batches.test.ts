import { describe, expect, it, vi } from 'vitest';
import { offered, pressed, share, steadily, type Asked } from './pressure.fixture.js';

// Tens of thousands of questions: many seconds on a machine that is busy with something else.
vi.setConfig({ testTimeout: 60_000 });

/* Whole providers with default options, on the injected clock, at 800 questions a second and 100 ms a request. */
const LATENCY_MS = 100;
const BLAMED_FOR_S = 30;

/** The smallest share over any ten seconds. */
function worstTenSeconds(asked: readonly Asked[], seconds: number): number {
  const from = Array.from({ length: seconds - 9 }, (_, at) => at);
  return Math.min(
    ...from.map((first) => share(asked.filter(({ second }) => second >= first && second < first + 10))),
  );
}

const isBroken = (flag: string) => /^flag-[012]$/.test(flag);

it('answers the healthy flags while 3 of 40 are broken, also when their blame expires', async () => {
  const { clock, ask, asked, events, log, service } = await pressed({
    latencyMs: LATENCY_MS,
    status: (items) => (items.some(({ flagKey }) => isBroken(flagKey)) ? 500 : 200),
  });
  const seconds = BLAMED_FOR_S + 5;
  await offered(clock, seconds * 1_000, ask, steadily(800));
  const healthy = asked.filter(({ flag }) => !isBroken(flag));
  expect(worstTenSeconds(healthy, seconds)).toBeGreaterThanOrEqual(0.99);
  // After the first seconds, no batch of other questions is spoilt: a single question tests each flag.
  const spoilt = service.requests
    .slice(service.requests.length >> 2)
    .filter((items) => items.some(({ flagKey }) => isBroken(flagKey)));
  for (const items of spoilt) expect(new Set(items.map(({ flagKey }) => flagKey)).size).toBe(1);
  expect([events, log]).toEqual([[], []]);
});

describe.each([10, 100])('at %s ms a request, with 800 questions a second', (latencyMs) => {
  it.each([
    { refusedPerSecond: 5, least: 1 },
    { refusedPerSecond: 100, least: 0.99 },
  ])(
    'answers the others while the service refuses $refusedPerSecond',
    async ({ refusedPerSecond, least }) => {
      const { clock, ask, asked, events, log, service } = await pressed({
        latencyMs,
        status: (items) => (items.some(({ entityId }) => entityId.startsWith('refused')) ? 400 : 200),
      });
      const others = steadily(800, 'other');
      const refused = steadily(refusedPerSecond, 'refused');
      await offered(clock, 12_000, ask, (ms) => [...others(ms), ...refused(ms)]);
      const answered = asked.filter(({ entity }) => entity.startsWith('other'));
      expect(worstTenSeconds(answered, 12)).toBeGreaterThanOrEqual(least);
      expect([events, log]).toEqual([[], []]);
      // 8 of batches, 4 of suspects, and those of searches: 8 if few are refused, else 128 at most.
      expect(service.mostAtOnce()).toBeLessThanOrEqual(12 + (refusedPerSecond === 5 ? 8 : 128));
    },
  );
});

describe.each([10, 100])('at %s ms a request, behind a firewall', (latencyMs) => {
  it.each([503, 'reset', 'silence'] as const)('%s for some contexts opens no circuit', async (outcome) => {
    for (const [answered, failed] of [
      [300, 5],
      [50, 5],
      [50, 100],
    ] as const) {
      const { clock, ask, events } = await pressed({
        latencyMs,
        status: (items) => (items.some(({ entityId }) => entityId.startsWith('refused')) ? outcome : 200),
      });
      const others = steadily(answered, 'other');
      const refused = steadily(failed, 'refused');
      await offered(clock, 6_000, ask, (ms) => [...others(ms), ...refused(ms)]);
      expect(events).toEqual([]);
    }
  });
});
