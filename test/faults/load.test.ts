import { afterAll, describe, expect, it } from 'vitest';
import { useTurningClock } from '../turning-clock.fixture.js';
import { useUnhandledRejections } from '../unhandled-rejections.fixture.js';
import { rawServer, reply, well, type RawServer } from './raw-server.fixture.js';
import { MARGIN_MS, rig, until, type Outcome, type Rig } from './rig.fixture.js';

/*
 * One question each millisecond, in groups of five or more, over real sockets. The assertions do not depend on the
 * speed of the machine: they are about what was asked, the outcome of each question, and what was sent.
 */
const clock = useTurningClock();
const LOAD_MS = 5_000;
const ENTITIES = 400;
const DEADLINE_MS = 3_000;
const OPEN_FOR_MS = 200;

const unhandledRejections = useUnhandledRejections();
afterAll(async () => {
  expect(await unhandledRejections()).toEqual([]);
});

const loaded = (url: string) =>
  rig(url, {
    deadlineMs: DEADLINE_MS,
    http: { timeoutMs: 1_000 },
    breaker: { failures: 1, openForMs: OPEN_FOR_MS, maxOpenForMs: 2 * OPEN_FOR_MS },
    cache: { freshForMs: 200, staleForMs: 200 },
  });

/** 1,000 questions a second for `ms`, half of them about new entities. */
async function load({ ask }: Rig, ms: number): Promise<readonly Outcome[]> {
  const asked: Promise<Outcome>[] = [];
  const since = clock.now();
  while (asked.length < ms) {
    await clock.passes(1);
    const due = Math.min(ms, clock.now() - since);
    while (asked.length < due) {
      const number = asked.length;
      asked.push(ask('colour', number % 2 === 0 ? `known-${(number / 2) % ENTITIES}` : `new-${number}`));
    }
  }
  return Promise.all(asked);
}

async function warmUp({ provider, ask }: Rig): Promise<void> {
  await provider.initialize();
  await Promise.all(Array.from({ length: ENTITIES }, (_, at) => ask('colour', `known-${at}`)));
}

const count = (outcomes: readonly Outcome[], kind: Outcome['kind']) =>
  outcomes.filter((outcome) => outcome.kind === kind).length;

const slowest = (outcomes: readonly Outcome[]) => Math.max(...outcomes.map(({ tookMs }) => tookMs));

/** Everybody has an answer of their own, or the default, and nobody has waited much longer than allowed. */
function expectEachItsOwn(outcomes: readonly Outcome[]): void {
  expect(count(outcomes, 'foreign')).toBe(0);
  expect(slowest(outcomes)).toBeLessThan(DEADLINE_MS + MARGIN_MS);
}

const requestsBetween = ({ requests }: RawServer, from: number, to: number) =>
  requests.filter(({ at }) => at >= from && at <= to).length;

describe.concurrent('under 1,000 questions a second', () => {
  it('serves known answers during an outage of 5 s, spares the service, and notices when it is back', async () => {
    await using server = await rawServer(well);
    const rigged = loaded(server.url);
    await warmUp(rigged);
    const begin = clock.now();
    server.behave = (socket) => socket.write(reply('503 Service Unavailable', ''));
    const during = await load(rigged, LOAD_MS);
    const lasted = clock.now() - begin;
    expectEachItsOwn(during);
    expect(during.length).toBe(LOAD_MS);
    expect(count(during, 'default')).toBeGreaterThan(0);
    expect(count(during, 'last-known')).toBeGreaterThan(0);
    // Until the third failure as many requests as may be under way, and a probe each time that it is due.
    const probes = 2 + lasted / OPEN_FOR_MS;
    expect(requestsBetween(server, begin, begin + lasted)).toBeLessThanOrEqual(8 + 3 + probes);
    server.behave = well;
    await until(() => rigged.events.at(-1) === 'ready', 2 * 2 * OPEN_FOR_MS + MARGIN_MS);
    const after = await load(rigged, 500);
    expectEachItsOwn(after);
    expect(count(after, 'own')).toBe(after.length);
    expect(rigged.events).toEqual(['stale', 'ready']);
    expect(rigged.log.filter((line) => !line.includes('look-ups'))).toHaveLength(2);
    await rigged.provider.onClose();
  });

  it('hides that one request in ten fails from almost all callers, with extra requests within a fifth', async () => {
    await using server = await rawServer(well);
    const rigged = loaded(server.url);
    await warmUp(rigged);
    // A linear congruence, so that each run of this test has the same failures.
    let state = 42;
    const random = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
    let failures = 0;
    server.behave = (socket, request) => {
      if (random() >= 0.1) {
        well(socket, request);
        return;
      }
      failures++;
      if (random() < 0.5) socket.resetAndDestroy();
      else socket.write(reply('502 Bad Gateway', '<html>', ['content-type: text/html']));
    };
    server.requests.length = 0;
    const outcomes = await load(rigged, LOAD_MS);
    expectEachItsOwn(outcomes);
    expect(failures).toBeGreaterThan(0);
    // A retry repeats the body of its request. No other two batches are equal, because each holds new entities.
    const bodies = server.requests.map(({ body }) => body).filter((body) => body.includes('colour'));
    const distinct = new Set(bodies).size;
    expect(bodies.length - distinct).toBeGreaterThan(0);
    expect(bodies.length - distinct).toBeLessThanOrEqual(Math.max(3, 0.2 * distinct));
    expect(count(outcomes, 'default')).toBeLessThan(outcomes.length / 10);
    await rigged.provider.onClose();
  });

  it('gives nobody a wrong answer in a restart, and works as before afterwards', async () => {
    await using server = await rawServer(well);
    const rigged = loaded(server.url);
    await warmUp(rigged);
    const loading = load(rigged, 2_000);
    await clock.passes(500);
    await server.stop();
    await clock.passes(500);
    await server.start();
    expectEachItsOwn(await loading);
    await until(async () => (await rigged.ask('colour', 'later')).kind === 'own', MARGIN_MS);
    expect(['ready', undefined]).toContain(rigged.events.at(-1));
    await rigged.provider.onClose();
  });
});
