import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  nextDelayMs,
  nextLookMs,
  reliableUntil,
  silenceLimitMs,
  afterSuccess,
  sparedForMs,
  UNTRIED,
  type WatchState,
  afterNoNews,
} from '../../src/snapshot/poll-schedule.js';

const POLL_MS = 15_000;
const LAST_RANDOM = 1 - Number.EPSILON;
const failure = { offersNone: false, retryAfterMs: undefined, isCheapSilence: false };
const none = { offersNone: true, retryAfterMs: undefined, isCheapSilence: false };

describe('the next poll', () => {
  it.each([
    ['the interval, shortened by up to 20 %', afterSuccess(UNTRIED, 0), 0, 12_000],
    ['the interval', afterSuccess(UNTRIED, 0), 0.5, 15_000],
    ['the interval, lengthened by up to 20 %', afterSuccess(UNTRIED, 0), LAST_RANDOM, 18_000],
    ['20 times what a whole body cost', afterSuccess(UNTRIED, 0, 2500), 0.5, 50_000],
    ['the same after an answer of 304', afterSuccess(afterSuccess(UNTRIED, 0, 2500), 0), 0.5, 50_000],
    ['the interval after a failure', afterFailure(UNTRIED, 0, failure), 0.5, 15_000],
    ['five minutes where there are no snapshots', afterFailure(UNTRIED, 0, none), 0.5, 300_000],
    ['also after other failures', afterFailure(afterFailure(UNTRIED, 0, none), 0, failure), 0.5, 300_000],
    ['the interval where there was one before', afterFailure(afterSuccess(UNTRIED, 0), 0, none), 0.5, 15_000],
    ['what Retry-After asks for', afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 40_000 }), 0, 40_000],
    [
      'that and up to half an interval, for those who were asked together',
      afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 40_000 }),
      LAST_RANDOM,
      47_500,
    ],
    ['half an interval at least after a failure', afterFailure(UNTRIED, 0, failure), 0, 7_500],
    ['one and a half at most after a failure', afterFailure(UNTRIED, 0, failure), LAST_RANDOM, 22_500],
    [
      'no sooner for a short Retry-After',
      afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 1 }),
      0.5,
      15_000,
    ],
    [
      'an hour for a longer Retry-After',
      afterFailure(UNTRIED, 0, { ...failure, retryAfterMs: 1e12 }),
      0,
      3_600_000,
    ],
  ])('comes after %s', (_what, state, random, delayMs) => {
    expect(nextDelayMs(state, POLL_MS, 0, random)).toBeCloseTo(delayMs, 3);
  });
});

describe('a poll that the stream asks for', () => {
  it.each<[string, WatchState, number, number]>([
    ['at once before a whole body was measured', UNTRIED, 0.5, 0],
    ['at once, if bodies cost next to nothing', afterSuccess(UNTRIED, -1, 0), 0.5, 0],
    ['at some moment in 20 × the time of a body', afterSuccess(UNTRIED, -10_000, 50), 0.5, 500],
    ['of 2 s at most', afterSuccess(UNTRIED, -100_000, 500), 0.5, 1_000],
    ['not before 20 × the time of the last body have passed', afterSuccess(UNTRIED, -4_000, 500), 0.5, 7_000],
    ['also if a 304 came since', afterSuccess(afterSuccess(UNTRIED, -4_000, 500), -1), 0.5, 7_000],
    [
      'not before the pause is over',
      afterFailure(afterSuccess(UNTRIED, -100_000, 500), 0, { ...failure, retryAfterMs: 30_000 }),
      0.5,
      31_000,
    ],
  ])('comes %s', (_, state, random, expected) => {
    expect(sparedForMs(state, 0, random)).toBe(expected);
  });
});

describe('a poll that was silent', () => {
  const silent = { ...failure, isCheapSilence: true };
  const known = afterSuccess(UNTRIED, 0);
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
    ['is repeated again after a success', afterFailure(afterSuccess(once, 0), 0, silent), 0],
    ['is repeated once', afterNoNews(once), 15_000],
  ])('%s', (_what, state, delayMs) => {
    expect(nextDelayMs(state, POLL_MS, 0, 0.5)).toBe(delayMs);
    expect(nextLookMs(state, POLL_MS, 0.5)).toBe(delayMs);
  });
});

describe('a poll may be silent', () => {
  it.each([
    ['for four attempts', 500, 0.5, 0, 2_000],
    ['for three whole bodies, if that is longer', 500, 2_500, 0, 7_500],
    ['for 30 s where no whole body was measured', 500, 0, 0, 30_000],
    ['twice as long after one that was', 500, 0.5, 1, 4_000],
    ['eight times as long after three', 500, 0.5, 3, 16_000],
    ['for a minute at most', 500, 0.5, 50, 60_000],
    ['for a minute at most, whatever the time-out', 3_600_000, 1, 0, 60_000],
  ])('%s', (_what, timeoutMs, fullBodyMs, silences, limitMs) => {
    expect(silenceLimitMs(timeoutMs, fullBodyMs, silences)).toBe(limitMs);
  });
});

describe('a watch is reliable', () => {
  const begun = afterSuccess(UNTRIED, 1000);

  it('never before the first success', () => {
    expect(reliableUntil(UNTRIED, POLL_MS)).toBe(-Infinity);
    expect(reliableUntil(UNTRIED, POLL_MS)).toBe(-Infinity);
  });

  it('for three intervals after its last success', () => {
    expect(reliableUntil(begun, POLL_MS)).toBe(46_000);
    expect(reliableUntil(afterSuccess(UNTRIED, 1000, 2000), POLL_MS)).toBe(121_000);
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
    const lost = afterFailure(begun, 50_100, failure);
    expect(reliableUntil(afterSuccess(lost, 65_100), POLL_MS)).toBe(110_100);
  });
});
