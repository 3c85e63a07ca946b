import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshness, freshnessOf, type Reliance } from '../../../src/remote/cache/freshness.js';
import type { SnapshotForCache } from '../../../src/remote/cache/cached-answers.js';
import { failed, type KnownAnswer, type Resolution } from '../../../src/model/answer.js';
import { DOWN, fromCache, fromService, off, on, setUp } from './layered.fixture.js';

const SETTINGS = { freshForMs: 100, staleForMs: 50, staleOnErrorForMs: 1_000, negativeForMs: 10 };
const HEALTHY = { lostForMs: -1, maxAgeMs: 10_000 };
const NOW = 50_000;
const aged = (kind: KnownAnswer['kind'], ageMs: number, untilChange = true) => ({
  answer: { kind },
  at: NOW - ageMs,
  untilChange,
});
const watching = (reliance: Reliance | undefined) => ({ reliance: () => reliance });

describe('an answer that the snapshot confirms', () => {
  it.each([
    ['stays fresh', 9_999, HEALTHY, 'fresh'],
    ['is stale at maxAgeMs', 10_000, HEALTHY, 'stale'],
    ['follows its age when it has been stale for its time', 10_050, HEALTHY, 'gone'],
    ['is stale when the watch is lost', 500, { ...HEALTHY, lostForMs: 0 }, 'stale'],
    ['is stale for its time', 500, { ...HEALTHY, lostForMs: 49 }, 'stale'],
    ['follows its age when the watch was lost longer ago', 500, { ...HEALTHY, lostForMs: 50 }, 'last-known'],
    ['is fresh by its age, whatever the watch is worth', 99, undefined, 'fresh'],
    ['follows its age without a watch', 149, undefined, 'stale'],
  ] as const)('%s', (_what, ageMs, reliance, expected) => {
    expect(freshnessOf(aged('boolean', ageMs), NOW, SETTINGS, watching(reliance))).toBe(expected);
  });

  it('may also be that the flag is missing', () => {
    expect(freshnessOf(aged('missing', 5_000), NOW, SETTINGS, watching(HEALTHY))).toBe('fresh');
  });
});

it('any other answer goes by its age, whatever the state of the watch', () => {
  const times = fc.record({
    ageMs: fc.nat({ max: 20_000 }),
    lostForMs: fc.integer({ min: -10_000, max: 10_000 }),
    maxAgeMs: fc.nat({ max: 20_000 }),
  });
  fc.assert(
    fc.property(times, fc.constantFrom('boolean', 'variant', 'missing'), ({ ageMs, ...reliance }, kind) => {
      expect(freshnessOf(aged(kind, ageMs, false), NOW, SETTINGS, watching(reliance))).toBe(
        freshness(kind, ageMs, SETTINGS),
      );
    }),
  );
});

describe('when the service fails', () => {
  const answeredBySnapshot = (ageMs: number): Resolution => ({
    answer: off,
    source: 'in-process',
    ageMs,
    stale: true,
    version: 'one',
  });
  /** With an answer that is 2,000 ms old. */
  const failing = async (evaluated: Resolution | undefined) => {
    const watch: SnapshotForCache = {
      evaluate: () => evaluated,
      confirms: () => false,
      missing: () => undefined,
      reliance: () => undefined,
    };
    const { clock, learn } = setUp({ watch });
    await learn(on);
    await clock.advance(2_000);
    return learn(failed(DOWN));
  };

  it.each([
    [
      'the snapshot answers where it was confirmed later',
      answeredBySnapshot(1_999),
      answeredBySnapshot(1_999),
    ],
    [
      'the last known answer is used where it is younger',
      answeredBySnapshot(2_001),
      fromCache(on, 2_000, true),
    ],
    [
      'a snapshot that was never confirmed is used last',
      answeredBySnapshot(Infinity),
      fromCache(on, 2_000, true),
    ],
    ['without a snapshot, the last known answer is used', undefined, fromCache(on, 2_000, true)],
  ])('%s', async (_, evaluated, expected) => {
    expect(await failing(evaluated)).toEqual(expected);
  });
});

describe('the cache with a watch', () => {
  /** Confirms all answers with the value `on`. */
  const watched = () => {
    const reliance = { lostForMs: -1, maxAgeMs: 5_000 };
    const watch: SnapshotForCache = {
      evaluate: () => undefined,
      confirms: (_, answer) => answer === on,
      missing: () => undefined,
      reliance: () => reliance,
    };
    return { ...setUp({ watch }), reliance };
  };

  it('asks nothing while confirmed answers are fresh', async () => {
    const { clock, asked, learn, resolve } = watched();
    await learn(on);
    await clock.advance(4_999);

    expect(resolve()).toEqual(fromCache(on, 4_999));
    expect(asked).toHaveLength(1);
  });

  it('serves a confirmed answer and refreshes it when it reaches maxAgeMs', async () => {
    const { clock, asked, learn, resolve, answer } = watched();
    await learn(on);
    await clock.advance(5_000);
    expect(resolve()).toEqual(fromCache(on, 5_000));
    expect(asked).toHaveLength(2);
    await answer(on);

    expect(resolve()).toEqual(fromCache(on, 0));
  });

  it('treats an answer that lags behind the snapshot by its age', async () => {
    const { clock, asked, learn, resolve } = watched();
    await learn(off);
    await clock.advance(1_000);
    void resolve();

    expect(asked).toHaveLength(2);
  });

  it('does not keep an answer whose flag has changed while its question was in flight', async () => {
    const { asked, layer, resolve, answer } = watched();
    const resolution = resolve();
    layer.forget(['flag']);
    await answer(on);

    expect(await resolution).toEqual(fromService(on));
    void resolve();
    expect(asked).toHaveLength(2);
  });
});
