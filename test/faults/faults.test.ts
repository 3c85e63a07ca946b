import { beforeAll, describe, expect, it } from 'vitest';
import { useTurningClock } from '../turning-clock.fixture.js';
import { useUnhandledRejections } from '../unhandled-rejections.fixture.js';
import { faults, type Fault } from './fault-table.fixture.js';
import { rawServer, well, type RawServer } from './raw-server.fixture.js';
import { held, IMPATIENT, MARGIN_MS, rig, TIMES, until, type Outcome, type Rig } from './rig.fixture.js';

const ROUNDS = 12;
const KNOWN = ['ann', 'ben', 'cleo'];
const FLAG = 'colour';

const clock = useTurningClock();
const unhandledRejections = useUnhandledRejections();
let atFirst: ReturnType<typeof held>;
beforeAll(() => {
  atFirst = held();
});

const kinds = (outcomes: readonly Outcome[]) => [...new Set(outcomes.map(({ kind }) => kind))].sort();

/** Each round asks three questions with known answers and two new ones: one batch. */
async function askRound({ ask }: Rig, round: number) {
  const [known, unknown] = await Promise.all([
    Promise.all(KNOWN.map((entity) => ask(FLAG, entity))),
    Promise.all(['x', 'y'].map((name) => ask(FLAG, `${name}-${round}`))),
  ]);
  return { known, unknown };
}

async function withFault(fault: Fault, during: (server: RawServer, rigged: Rig) => Promise<void>) {
  await using server = await rawServer(well);
  const rigged = rig(server.url, fault.timesOut === true ? IMPATIENT : {});
  try {
    await rigged.provider.initialize();
    for (const entity of KNOWN)
      await until(async () => (await rigged.ask(FLAG, entity)).kind === 'own', MARGIN_MS);
    rigged.events.length = 0;
    rigged.log.length = 0;
    server.requests.length = 0;
    await fault.begin(server);
    await during(server, rigged);
  } finally {
    await rigged.provider.onClose();
  }
}

const end = async (fault: Fault, server: RawServer) => {
  if (fault.end === undefined) server.behave = well;
  else await fault.end(server);
};

// Concurrent, because they mostly wait for time-outs and for the circuit breaker.
describe.concurrent.each(faults)('$name', (fault) => {
  it('answers each call with its own last known answer or the default, by the deadline', () =>
    withFault(fault, async (_, rigged) => {
      const known: Outcome[] = [];
      const unknown: Outcome[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const outcomes = await askRound(rigged, round);
        known.push(...outcomes.known);
        unknown.push(...outcomes.unknown);
      }
      expect(kinds(known)).toEqual([fault.counts === 'none' ? 'own' : 'last-known']);
      expect(kinds(unknown)).toEqual([fault.counts === 'none' ? 'own' : 'default']);
      expect(unknown[0]?.message).toMatch(fault.message);
      for (const { tookMs } of [...known, ...unknown]) {
        expect(tookMs).toBeLessThan(IMPATIENT.deadlineMs + MARGIN_MS);
      }
      expect(await unhandledRejections()).toEqual([]);
    }));

  it('sends no more than the budget allows, and only checks while the circuit is open', () =>
    withFault(fault, async (server, rigged) => {
      const since = clock.now();
      for (let round = 0; round < ROUNDS; round++) await askRound(rigged, round);
      const probes = 1 + Math.floor((clock.now() - since) / TIMES.openForMs);
      const most = {
        // A failure with its retries, a check that opens the circuit, one more if the next question comes before the
        // check has ended, and then the probes.
        outage: 5 + probes,
        // One request each round, a check, and at most one batch of five that is divided down to single questions.
        answers: ROUNDS + 1 + 2 * 3,
        none: ROUNDS,
      }[fault.counts];
      expect(server.requests.length).toBeLessThanOrEqual(most);
    }));

  it('recovers by itself, and says so once', () =>
    withFault(fault, async (server, rigged) => {
      for (let round = 0; round < ROUNDS; round++) await askRound(rigged, round);
      await end(fault, server);
      const since = clock.now();
      if (fault.counts === 'outage') {
        // Nobody asks: the probe comes by itself.
        await until(() => rigged.events.at(-1) === 'ready', 2 * TIMES.maxOpenForMs + MARGIN_MS);
        expect(rigged.events).toEqual(['stale', 'ready']);
        expect(rigged.log).toEqual([
          expect.stringMatching(/^Flipt (?:cannot be reached|does not answer as it should) \(/),
          'Flipt answers again',
        ]);
      }
      await until(async () => {
        const { known, unknown } = await askRound(rigged, ROUNDS);
        return kinds([...known, ...unknown]).join() === 'own';
      }, MARGIN_MS);
      expect(clock.now() - since).toBeLessThan(2 * TIMES.maxOpenForMs + MARGIN_MS);
    }));
});

it('leaves nothing behind, whatever has happened', async () => {
  await until(() => sameOrLess(held(), atFirst), MARGIN_MS);
  await until(() => clock.timers() === 0, MARGIN_MS);
  expect(await unhandledRejections()).toEqual([]);
});

/** Other timers of the test runner may have ended in between. */
function sameOrLess(
  now: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): boolean {
  return Object.entries(now).every(([name, count]) => count <= (before[name] ?? 0));
}
