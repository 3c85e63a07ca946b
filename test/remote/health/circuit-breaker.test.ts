import { describe, expect, it } from 'vitest';
import {
  afterRequest,
  CLOSED_CIRCUIT,
  halfOpen,
  openAgain,
  type Circuit,
} from '../../../src/remote/health/circuit-breaker.js';
import { withOne, noCounts, sums } from '../../../src/base/time/recent-counts.js';
import { failedWith } from '../../http/outcomes.fixture.js';

const SETTINGS = { failures: 3, openForMs: 1_000, maxOpenForMs: 3_000 };
const DOWN = failedWith('connection');
const at = (now: number, breaker = SETTINGS) => ({ now, jitter: (ms: number) => ms, breaker });

/** The state after requests that ended so: F failed, S succeeded; one each `everyMs`. */
function after(outcomes: string, everyMs = 0): Circuit {
  return outcomes
    .split('')
    .reduce<Circuit>(
      (circuit, outcome, turn) =>
        afterRequest(
          circuit,
          { failure: outcome === 'F' ? DOWN : undefined, sentAt: turn * everyMs },
          at(turn * everyMs),
        ),
      CLOSED_CIRCUIT,
    );
}

describe('the circuit', () => {
  it.each<[string, number, Circuit['state']]>([
    ['', 0, 'closed'],
    ['FF', 0, 'closed'],
    ['FFF', 0, 'open'],
    ['FFSFF', 0, 'closed'],
    ['FFSFFF', 0, 'open'],
    ['FSFSFSFSFSFSFSFSFS', 0, 'closed'],
    ['SFSFSFSFSFSFSFSFSFSF', 0, 'open'],
    ['SSFSSFSSFSSFSSFSSFSSFSSFSSF', 0, 'closed'],
    ['SFSFSFSFSFSFSFSFSFSF', 600, 'closed'],
    ['FFF', 59_999, 'open'],
    ['FFFFFF', 60_000, 'closed'],
  ])('after %j, one each %s ms, is %s', (outcomes, everyMs, state) => {
    expect(after(outcomes, everyMs).state).toBe(state);
  });

  it('counts requests that fail together as one failure in a row: only a request sent after a failure can be the next', () => {
    let circuit: Circuit = CLOSED_CIRCUIT;
    const fail = (sentAt: number, now: number) => {
      circuit = afterRequest(circuit, { failure: DOWN, sentAt }, at(now));
      return circuit.state;
    };
    const together = Array.from({ length: 8 }, (_, turn) => fail(turn, 500 + turn));
    expect(together).toEqual(Array(8).fill('closed'));
    expect([fail(510, 1_010), fail(700, 1_011), fail(1_010, 1_510)]).toEqual(['closed', 'closed', 'open']);
  });

  it('stays open twice as long each time a check fails, up to the longest', () => {
    let circuit = after('FFF');
    expect(circuit).toMatchObject({ checkAt: 1_000, openForMs: 1_000 });
    const times: number[] = [];
    for (let check = 0; check < 4; check++) {
      circuit = openAgain(halfOpen(circuit), DOWN, at(10_000));
      if (circuit.state === 'open') times.push(circuit.openForMs, circuit.checkAt - 10_000);
    }
    expect(times).toEqual([2_000, 2_000, 3_000, 3_000, 3_000, 3_000, 3_000, 3_000]);
  });

  it('stays open for openForMs if maxOpenForMs is shorter', () => {
    const settings = { ...SETTINGS, maxOpenForMs: 10 };
    expect(openAgain(halfOpen(after('FFF')), DOWN, at(0, settings))).toMatchObject({ openForMs: 1_000 });
  });

  it('is not changed by requests that were sent before it opened', () => {
    const open = after('FFF');
    for (const circuit of [open, halfOpen(open)]) {
      expect(afterRequest(circuit, { failure: DOWN, sentAt: 0 }, at(0))).toBe(circuit);
      expect(afterRequest(circuit, { failure: undefined, sentAt: 0 }, at(0))).toBe(circuit);
    }
    expect(openAgain(CLOSED_CIRCUIT, DOWN, at(0))).toBe(CLOSED_CIRCUIT);
    expect(halfOpen(CLOSED_CIRCUIT)).toBe(CLOSED_CIRCUIT);
  });
});

describe('the counts of the last seconds', () => {
  it('counts all events and the marked ones, for ten seconds', () => {
    let counts = noCounts;
    for (const [now, marked] of [
      [0, true],
      [500, false],
      [999, true],
      [1_000, false],
      [5_000, true],
    ] as const) {
      counts = withOne(counts, now, marked);
    }
    expect(sums(counts, 5_000)).toEqual({ all: 5, marked: 3 });
    expect(sums(counts, 9_999)).toEqual({ all: 5, marked: 3 });
    expect(sums(counts, 10_000)).toEqual({ all: 2, marked: 1 });
    expect(sums(counts, 60_000)).toEqual({ all: 0, marked: 0 });
  });

  it('holds ten seconds, however many events it counts', () => {
    let counts = noCounts;
    for (let now = 0; now < 100_000; now += 100) counts = withOne(counts, now, false);
    expect(counts).toHaveLength(10);
    expect(sums(counts, 99_900).all).toBe(100);
  });
});
