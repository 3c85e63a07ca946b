import { describe, expect, it, vi } from 'vitest';
import { offered, pressed, share, shares, steadily, STEP_MS, type Asked } from './pressure.fixture.js';

// Tens of thousands of questions: many seconds on a machine that is busy with something else.
vi.setConfig({ testTimeout: 60_000 });

/*
 * Whole providers with default options, on the injected clock. The service takes 300 ms for a request: 8 requests of 50
 * questions at once are 1,333 questions a second.
 */
const LATENCY_MS = 300;

const of = (asked: readonly Asked[], prefix: string) =>
  asked.filter(({ entity }) => entity.startsWith(prefix));

describe('more questions than the service can answer', () => {
  it('get all the answers that it can give, in each second, and one warning', async () => {
    const { clock, ask, asked, events, log, close } = await pressed({ latencyMs: LATENCY_MS });
    await offered(clock, 10_000, ask, steadily(2_000));
    expect(asked).toHaveLength(20_000);
    // No more than 66 % is possible.
    expect(share(asked)).toBeGreaterThanOrEqual(0.63);
    expect(Math.min(...shares(asked))).toBeGreaterThanOrEqual(0.55);
    expect(log).toEqual([expect.stringMatching(/^Flipt does not keep up.*its answers come too late/)]);
    await clock.advance(5_000);
    expect(log[1]).toMatch(/^Flipt keeps up again; in \d+ s, the provider did not send \d+ of \d+ questions/);
    expect(log).toHaveLength(2);
    expect(events).toEqual([]);
    await close();
    expect(clock.timers()).toBe(0);
  });

  it('that are shed say that it is an overload, and name the limit', async () => {
    const { clock, ask, asked } = await pressed({ latencyMs: LATENCY_MS });
    await offered(clock, 2_000, ask, steadily(4_000));
    const messages = asked.flatMap(({ outcome, message }) => (outcome === 'default' ? [message] : []));
    const shed = messages.filter((message) => message.startsWith('overload: '));
    // The others were sent, and answered too late.
    expect(shed.length).toBeGreaterThan(0.6 * messages.length);
    for (const message of shed) {
      expect(message).toMatch(/ \d+ questions wait for Flipt, .*\(batch\.maxConcurrent\).*\(deadlineMs\)$/);
    }
  });

  it('leave no trace: at 90 % of what is possible, all are answered as soon as the spike is over', async () => {
    const { clock, ask, asked, events } = await pressed({ latencyMs: LATENCY_MS });
    const spike = steadily(4_000, 'spike');
    const after = steadily(1_200, 'after');
    await offered(clock, 12_000, ask, (ms) => (ms < 4_000 ? spike(ms) : after(ms)));
    expect(share(of(asked, 'spike'))).toBeGreaterThanOrEqual(0.3);
    expect(share(asked.filter(({ second }) => second >= 7))).toBeGreaterThanOrEqual(0.97);
    expect(events).toEqual([]);
  });

  it('of one caller do not hold up the others', async () => {
    const { clock, ask, asked } = await pressed({ latencyMs: LATENCY_MS });
    const steady = steadily(200, 'steady');
    const burst = Array.from({ length: 5_000 }, (_, at) => [`flag-${at}`, 'burst'] as const);
    await offered(clock, 4_000, ask, (ms) => [...steady(ms), ...(ms === 1_000 ? burst : [])]);
    expect(share(of(asked, 'steady'))).toBeGreaterThanOrEqual(0.99);
    // The others' share of what the service can answer within the deadline is small.
    expect(share(of(asked, 'burst'))).toBeGreaterThanOrEqual(0.12);
  });
});

it('forgets that the service was slow: after a quiet quarter of a minute, all of many questions are answered', async () => {
  const script = { latencyMs: 400 };
  const { clock, ask, asked, log } = await pressed(script, { deadlineMs: 200 });
  await offered(clock, 12_000, ask, steadily(20, 'slow'));
  expect(share(asked)).toBe(0);
  script.latencyMs = 10;
  await clock.advance(15_000);
  log.splice(0);
  const many = Array.from({ length: 400 }, (_, at) => [`flag-${at}`, 'somebody'] as const);
  await offered(clock, 1, ask, () => many);
  expect(share(of(asked, 'somebody'))).toBe(1);
  expect(log).toEqual([]);
});

it('answers all of a thousand questions that are asked at once', async () => {
  const { clock, ask, asked, log } = await pressed({ latencyMs: LATENCY_MS });
  const thousand = Array.from({ length: 1_000 }, (_, at) => [`flag-${at}`, 'somebody'] as const);
  await offered(clock, 1, ask, () => thousand);
  expect(share(asked)).toBe(1);
  expect(log).toEqual([]);
});

it('lets two providers share a service that can answer 8 requests at once', async () => {
  // Sixteen requests at once take 600 ms, so half of them time out.
  const one = await pressed({ latencyMs: LATENCY_MS, workers: 8 }, { breaker: false });
  const two = await one.join();
  const loads = [one, two].map(({ ask }) => ({ ask, spike: steadily(2_000), after: steadily(400, 'after') }));
  for (let ms = 0; ms < 15_000; ms += STEP_MS) {
    for (const { ask, spike, after } of loads) {
      for (const [flag, entity] of (ms < 3_000 ? spike : after)(ms)) ask(flag, entity);
    }
    await one.clock.advance(STEP_MS);
  }
  await one.clock.advance(2_000);
  for (const { asked } of [one, two]) {
    expect(share(asked.filter(({ second }) => second >= 3))).toBeGreaterThanOrEqual(0.86);
  }
  // 8 batches, 8 parts of failed ones and a health check of each; the service also works on what has timed out.
  expect(one.service.mostAtOnce()).toBeLessThanOrEqual(2 * 17 + 16);
});
