import { describe, expect, it } from 'vitest';
import { NO_COST, type PollCost } from '../../../src/snapshot/poll-cost.js';
import { nextDelayMs, nextLookMs, sparedForMs } from '../../../src/snapshot/watch/poll-schedule.js';
import { likelyWholeMs, silenceLimitMs } from '../../../src/snapshot/silence.js';
import {
  answered,
  reliableUntil,
  UNTRIED,
  type WatchState,
} from '../../../src/snapshot/watch/watch-state.js';

const afterSuccess = (at: number, cost: PollCost = NO_COST) =>
  answered(UNTRIED, { kind: 'unchanged', cost }, true, at);
const afterNoNews = (state: WatchState) => answered(state, { kind: 'no-news' }, true, 0);

/** A request has failed, which named the known snapshot by its ETag if `isCheapSilence`. */
function afterFailure(
  state: WatchState,
  now: number,
  { isCheapSilence, ...failed }: Omit<typeof failure, 'retryAfterMs'> & { retryAfterMs: number | undefined },
): WatchState {
  const why = { failure: { kind: 'timeout', message: '' }, isUnknown: false } as const;
  return answered(
    state,
    { kind: 'failed', ...failed, ...why, isSilent: isCheapSilence },
    isCheapSilence,
    now,
  );
}

const POLL_MS = 15_000;
/** Two whole snapshots took so long. */
const twice = (wholeMs: number, at = 0): PollCost => ({
  intervalMs: 20 * wholeMs,
  sparedUntil: at + 20 * wholeMs,
  wholeMs,
});
const one = (wholeMs: number): PollCost => ({ ...NO_COST, wholeMs });
const LAST_RANDOM = 1 - Number.EPSILON;
const failure = { offersNone: false, retryAfterMs: undefined, isCheapSilence: false };
const none = { offersNone: true, retryAfterMs: undefined, isCheapSilence: false };
const REFUSED = afterFailure(UNTRIED, 0, none);

describe('the next poll', () => {
  it.each([
    ['the interval, shortened by up to 20 %', afterSuccess(0), 0, 12_000],
    ['the interval', afterSuccess(0), 0.5, 15_000],
    ['the interval, lengthened by up to 20 %', afterSuccess(0), LAST_RANDOM, 18_000],
    ['20 times what whole snapshots take', afterSuccess(0, twice(2500)), 0.5, 50_000],
    ['the interval, if that is longer', afterSuccess(0, twice(500)), 0.5, 15_000],
    ['the same after a failure', afterFailure(afterSuccess(0, twice(2500)), 0, failure), 0.5, 50_000],
    ['the interval after a failure', afterFailure(UNTRIED, 0, failure), 0.5, 15_000],
    ['twice the interval where there seem to be no snapshots', afterFailure(UNTRIED, 0, none), 0.5, 30_000],
    ['twice that also after another failure', afterFailure(REFUSED, 0, failure), 0.5, 60_000],
    [
      'five minutes at most',
      Array.from({ length: 5 }).reduce<WatchState>((state) => afterFailure(state, 0, none), UNTRIED),
      0.5,
      300_000,
    ],
    ['the interval where there was one before', afterFailure(afterSuccess(0), 0, none), 0.5, 15_000],
    ['what Retry-After asks for', afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 40_000 }), 0, 40_000],
    [
      'that and up to half an interval, for those who were asked together',
      afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 40_000 }),
      LAST_RANDOM,
      47_500,
    ],
    ['half an interval at least after a failure', afterFailure(UNTRIED, 0, failure), 0, 7_500],
    ['1.2 intervals at most after a failure', afterFailure(UNTRIED, 0, failure), LAST_RANDOM, 18_000],
    [
      'sooner, before the last success is too old',
      afterFailure(afterSuccess(-35_000), 0, failure),
      0.5,
      7_375,
    ],
    [
      'sooner by up to a fifth of the interval, before the last success is too old',
      afterFailure(afterSuccess(-36_500), 0, failure),
      0,
      5_500,
    ],
    [
      'the interval, if such a poll has just failed',
      afterFailure(afterSuccess(-42_000), 0, failure),
      LAST_RANDOM,
      18_000,
    ],
    ['the interval, if that moment is over', afterFailure(afterSuccess(-44_000), 0, failure), 0.5, 15_000],
    [
      'no sooner for a short Retry-After',
      afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 1 }),
      0.5,
      15_000,
    ],
  ])('comes after %s', (_what, state, random, delayMs) => {
    expect(nextDelayMs(state, POLL_MS, 0, random)).toBeCloseTo(delayMs, 3);
  });
});

it('the next poll comes no sooner than after a long interval, also where there seem to be no snapshots', () => {
  const HOUR_MS = 3_600_000;
  expect(nextDelayMs(REFUSED, HOUR_MS, 0, 0.5)).toBe(HOUR_MS);
  expect(nextLookMs(REFUSED, HOUR_MS, HOUR_MS, 0, 0.5)).toBe(HOUR_MS);
});

describe('the next look into a shared store', () => {
  it.each([
    ['the interval', afterSuccess(0), POLL_MS, 15_000],
    ['half a second, if that is how soon the snapshot may be there', afterNoNews(UNTRIED), 500, 500],
    [
      'a shorter time, before the last success is too old',
      afterNoNews(afterSuccess(-35_000)),
      POLL_MS,
      8_875,
    ],
    [
      'less than for the others, if this instance is the one whose poll has failed',
      afterFailure(afterSuccess(-35_000), 0, failure),
      POLL_MS,
      7_375,
    ],
    ['the interval, if such a look has just found nothing', afterSuccess(-43_500), POLL_MS, 15_000],
  ])('comes after %s', (_what, state, lookMs, delayMs) => {
    expect(nextLookMs(state, lookMs, POLL_MS, 0, 0.5)).toBeCloseTo(delayMs, 3);
  });
});

describe('a poll that the stream asks for', () => {
  it.each<[string, WatchState, number, number]>([
    ['at once before the first whole snapshot', UNTRIED, 0.5, 0],
    ['at once, if whole snapshots take no time', afterSuccess(-1, one(0)), 0.5, 0],
    ['at some moment in 20 × the time of a whole one', afterSuccess(-1, one(50)), 0.5, 500],
    ['of 2 s at most', afterSuccess(-1, one(500)), 0.5, 1_000],
    [
      'not before 20 × the time of a whole one have passed',
      afterSuccess(-4_000, twice(1_000, -4_000)),
      0.5,
      17_000,
    ],
    ['also if a 304 came since', afterSuccess(-1, { ...twice(1_000, -4_000), intervalMs: 0 }), 0.5, 17_000],
    [
      'not before the pause is over',
      afterFailure(afterSuccess(-1, one(500)), 0, { ...failure, retryAfterMs: 30_000 }),
      0.5,
      31_000,
    ],
  ])('comes %s', (_, state, random, expected) => {
    expect(sparedForMs(state, 0, random)).toBe(expected);
  });
});

describe('a poll that was silent', () => {
  const silent = { ...failure, isCheapSilence: true };
  const known = afterSuccess(0);
  const once = afterFailure(known, 0, silent);

  it.each([
    ['is repeated at once', once, 0],
    ['is not repeated if it asks for a whole body', afterFailure(known, 0, failure), 15_000],
    ['is not repeated after a second one', afterFailure(once, 0, silent), 15_000],
    [
      'is not repeated after any other failure',
      afterFailure(afterFailure(known, 0, failure), 0, silent),
      15_000,
    ],
    ['is repeated again after a success', afterFailure(afterSuccess(0), 0, silent), 0],
    ['is repeated once', afterNoNews(once), 15_000],
  ])('%s', (_what, state, delayMs) => {
    expect(nextDelayMs(state, POLL_MS, 0, 0.5)).toBe(delayMs);
    expect(nextLookMs(state, POLL_MS, POLL_MS, 0, 0.5)).toBe(delayMs);
  });
});

describe('a poll may be silent', () => {
  it.each([
    ['for four attempts', 500, 0.5, 0, 2_000],
    ['for three whole bodies, if that is longer', 500, 2_500, 0, 7_500],
    ['for 30 s where nobody knows how long one takes', 500, 0, 0, 30_000],
    ['for as long as v1 needs for so many flags', 500, likelyWholeMs(1_000), 0, 9_000],
    ['twice as long after one that was', 500, 0.5, 1, 4_000],
    ['eight times as long after three', 500, 0.5, 3, 16_000],
    ['for a minute at most', 500, 0.5, 50, 60_000],
    ['for a minute at most, whatever the time-out', 3_600_000, 1, 0, 60_000],
  ])('%s', (_what, timeoutMs, wholeMs, silences, limitMs) => {
    expect(silenceLimitMs(timeoutMs, wholeMs, silences)).toBe(limitMs);
  });
});

describe('a watch is reliable', () => {
  const begun = afterSuccess(1000);

  it('never before the first success', () => {
    expect(reliableUntil(UNTRIED, POLL_MS)).toBe(-Infinity);
    expect(reliableUntil(UNTRIED, POLL_MS)).toBe(-Infinity);
  });

  it('for three intervals after its last success', () => {
    expect(reliableUntil(begun, POLL_MS)).toBe(46_000);
    expect(reliableUntil(afterSuccess(1000, twice(2000)), POLL_MS)).toBe(121_000);
  });

  it('no longer while a request is under way: the service may never answer it', () => {
    expect(reliableUntil(begun, POLL_MS)).toBe(46_000);
    expect(reliableUntil(afterFailure(begun, 100_000, failure), POLL_MS)).toBe(46_000);
  });

  it('through failures while the last success is recent', () => {
    const once = afterFailure(begun, 16_100, failure);
    expect(reliableUntil(once, POLL_MS)).toBe(46_000);
    expect(reliableUntil(afterFailure(once, 50_100, failure), POLL_MS)).toBe(46_000);
  });

  it('again after the next success', () => {
    expect(reliableUntil(afterSuccess(65_100), POLL_MS)).toBe(110_100);
  });
});
