import { describe, expect, it } from 'vitest';
import {
  admission,
  closedBreaker,
  passed,
  probed,
  probing,
  type BreakerState,
} from '../../src/availability/circuit.js';
import { counted, emptyTally, sums } from '../../src/http/tally.js';

const SETTINGS = { failures: 3, openForMs: 1_000, maxOpenForMs: 3_000 };

/** The state after requests that ended so: F failed, S succeeded; one each `everyMs`. */
function after(outcomes: string, everyMs = 0): BreakerState {
  return outcomes
    .split('')
    .reduce<BreakerState>(
      (state, outcome, at) => passed(state, outcome === 'F', at * everyMs, SETTINGS),
      closedBreaker,
    );
}

describe('the circuit breaker', () => {
  it.each<[string, number, BreakerState['mode']]>([
    ['', 0, 'closed'],
    ['FF', 0, 'closed'],
    ['FFF', 0, 'open'],
    ['FFSFF', 0, 'closed'],
    ['FFSFFF', 0, 'open'],
    ['FSFSFSFSFSFSFSFSFS', 0, 'closed'],
    ['SFSFSFSFSFSFSFSFSFSF', 0, 'open'],
    ['SSFSSFSSFSSFSSFSSFSSFSSFSSF', 0, 'closed'],
    ['SFSFSFSFSFSFSFSFSFSF', 600, 'closed'],
  ])('after %j, one each %s ms, is %s', (outcomes, everyMs, mode) => {
    expect(after(outcomes, everyMs).mode).toBe(mode);
  });

  it('lets pass while it is closed, nothing while it is open, and one probe after its time', () => {
    const open = after('FFF');
    expect(admission(closedBreaker, 0)).toBe('pass');
    expect(admission(open, 999)).toBe('refuse');
    expect(admission(open, 1_000)).toBe('probe');
    expect(admission(probing(open), 5_000)).toBe('refuse');
  });

  it('closes when a probe succeeds, with a clean slate', () => {
    expect(probed(probing(after('FFF')), false, 1_000, SETTINGS)).toBe(closedBreaker);
  });

  it('stays open twice as long each time a probe fails, up to the longest', () => {
    let state = after('FFF');
    const times: number[] = [];
    for (let probe = 0; probe < 4; probe++) {
      state = probed(probing(state), true, 10_000, SETTINGS);
      if (state.mode === 'open') times.push(state.openForMs, state.probeAt - 10_000);
    }
    expect(times).toEqual([2_000, 2_000, 3_000, 3_000, 3_000, 3_000, 3_000, 3_000]);
  });

  it('stays open for as long as at first where the longest is shorter than that', () => {
    const settings = { ...SETTINGS, maxOpenForMs: 10 };
    expect(probed(probing(after('FFF')), true, 0, settings)).toMatchObject({ openForMs: 1_000 });
  });

  it('is not changed by what was under way before', () => {
    const open = after('FFF');
    for (const state of [open, probing(open)]) {
      expect(passed(state, true, 0, SETTINGS)).toBe(state);
      expect(passed(state, false, 0, SETTINGS)).toBe(state);
    }
    expect(probed(open, false, 0, SETTINGS)).toBe(open);
    expect(probed(closedBreaker, true, 0, SETTINGS)).toBe(closedBreaker);
    expect(probing(closedBreaker)).toBe(closedBreaker);
  });
});

describe('a tally', () => {
  it('counts what it is told, and apart what is marked, for ten seconds', () => {
    let tally = emptyTally;
    for (const [now, marked] of [
      [0, true],
      [500, false],
      [999, true],
      [1_000, false],
      [5_000, true],
    ] as const) {
      tally = counted(tally, now, marked);
    }
    expect(sums(tally, 5_000)).toEqual({ all: 5, marked: 3 });
    expect(sums(tally, 9_999)).toEqual({ all: 5, marked: 3 });
    expect(sums(tally, 10_000)).toEqual({ all: 2, marked: 1 });
    expect(sums(tally, 60_000)).toEqual({ all: 0, marked: 0 });
  });

  it('holds ten seconds, however much it counts', () => {
    let tally = emptyTally;
    for (let now = 0; now < 100_000; now += 100) tally = counted(tally, now, false);
    expect(tally.buckets).toHaveLength(10);
    expect(sums(tally, 99_900).all).toBe(100);
  });
});
