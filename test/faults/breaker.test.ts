import { expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { askedItems, rawServer, reply, well, type Behaviour } from './raw-server.fixture.js';
import { IMPATIENT, MARGIN_MS, rig, TIMES, until, type Rig } from './rig.fixture.js';

const clock = useTurningClock();

const failing: Behaviour = (socket) => socket.write(reply('503 Service Unavailable', ''));
const serverError: Behaviour = (socket) =>
  socket.write(reply('500 Internal Server Error', '{"code":13,"message":"broken","details":[]}'));

/** How many calls that takes depends on how many retries chance and the deadline leave them. */
const untilOpen = ({ ask, events }: Pick<Rig, 'ask' | 'events'>) =>
  until(async () => {
    await ask('fine', 'somebody');
    return events.length > 0;
  }, MARGIN_MS);

it('makes a caller who asks ten flags one after another wait for four time-outs by the default options', async () => {
  await using server = await rawServer(() => undefined);
  const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const provider = new FliptProvider({ url: server.url, logger });
  const since = clock.now();
  for (let flag = 0; flag < 10; flag++) {
    const { value, reason } = await provider.resolveBooleanEvaluation(`flag-${flag}`, true, {});
    expect([value, reason]).toEqual([true, 'ERROR']);
  }
  // After the first one, three checks run beside the others. Without a breaker there would be ten.
  expect(server.requests).toHaveLength(4 + 3);
  expect(clock.now() - since).toBeLessThan(2_500);
  await provider.onClose();
});

it('is in error while no answer is known, and stale if one is', async () => {
  await using server = await rawServer(well);
  const nothingKnown = rig(server.url);
  const somethingKnown = rig(server.url);
  await Promise.all([nothingKnown, somethingKnown].map(({ provider }) => provider.initialize()));
  await somethingKnown.ask('colour', 'ann');
  server.behave = failing;
  await Promise.all([nothingKnown, somethingKnown].map(untilOpen));
  expect(nothingKnown.events).toEqual(['error']);
  expect(somethingKnown.events).toEqual(['stale']);
  await Promise.all([nothingKnown, somethingKnown].map(({ provider }) => provider.onClose()));
});

it('answers at once while a check is under way', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events } = rig(server.url, {
    breaker: { openForMs: 50 },
    http: { timeoutMs: 5 * MARGIN_MS },
  });
  await provider.initialize();
  server.behave = failing;
  await untilOpen({ ask, events });
  const seen = server.requests.length;
  server.behave = () => undefined;
  await until(() => server.requests.length > seen, MARGIN_MS);
  const { kind, message, tookMs } = await ask('colour', 'ben');
  expect(kind).toBe('default');
  expect(message).toMatch(/no requests are sent.*503/);
  // Long before the probe's own time-out.
  expect(tookMs).toBeLessThan(MARGIN_MS);
  expect(server.requests).toHaveLength(seen + 1);
  await provider.onClose();
});

it('spares a service that answers 500 to everything: one request, and after that only checks', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events, log } = rig(server.url);
  await provider.initialize();
  const askBatch = (round: number) =>
    Promise.all([1, 2, 3, 4, 5].map((entity) => ask(`flag-${round}`, `entity-${entity}`)));
  await askBatch(0);
  server.requests.length = 0;
  server.behave = serverError;
  for (let round = 1; round <= 3; round++) {
    const outcomes = await askBatch(round);
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(5).fill('default'));
  }
  const batches = server.requests.filter(({ body }) => body.includes('entity-'));
  expect(batches).toHaveLength(1);
  await until(() => events.length > 0, MARGIN_MS);
  expect(events).toEqual(['stale']);
  // Each failed probe, were it taken for a success, would announce that all is well again.
  await until(() => server.requests.length >= 5, 10 * TIMES.maxOpenForMs + MARGIN_MS);
  await askBatch(4);
  expect(events).toEqual(['stale']);
  expect(log).toHaveLength(1);
  server.behave = well;
  await until(() => events.at(-1) === 'ready', 2 * TIMES.maxOpenForMs + MARGIN_MS);
  expect(events).toEqual(['stale', 'ready']);
  await provider.onClose();
});

it('is not opened, nor kept open, by one broken flag', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events } = rig(server.url);
  await provider.initialize();
  const oneBroken: Behaviour = (socket, request) => {
    const broken = askedItems(request).some(({ flagKey }) => flagKey === 'broken');
    (broken ? serverError : well)(socket, request);
  };
  server.behave = oneBroken;
  for (let round = 0; round < 6; round++) {
    const [broken, fine] = await Promise.all([ask('broken', `e-${round}`), ask('fine', `e-${round}`)]);
    expect([broken.kind, fine.kind]).toEqual(['default', 'own']);
  }
  expect(events).toEqual([]);

  server.behave = failing;
  await untilOpen({ ask, events });
  server.behave = oneBroken;
  // Each round asks the broken flag as well.
  const round = async (number: number) => {
    const both = await Promise.all([ask('broken', `later-${number}`), ask('fine', `later-${number}`)]);
    return both[1].kind === 'own';
  };
  let rounds = 0;
  await until(() => round(rounds++), 2 * TIMES.maxOpenForMs + MARGIN_MS);
  expect(events.at(-1)).toBe('ready');
  await provider.onClose();
});

it('keeps retries within a fifth of all requests even if it is turned off', async () => {
  await using server = await rawServer(well);
  const { provider, ask } = rig(server.url, { breaker: false });
  await provider.initialize();
  server.requests.length = 0;
  server.behave = failing;
  for (let round = 0; round < 60; round++) await ask('colour', `e-${round}`);
  const asked = server.requests.filter(({ body }) => body.includes('colour'));
  expect(asked.length).toBeGreaterThan(60);
  expect(asked.length).toBeLessThanOrEqual(60 + 0.2 * 60);
  await provider.onClose();
});

it('ends with the provider: no check is sent afterwards, and a call is answered at once', async () => {
  await using server = await rawServer(well);
  const { provider, ask } = rig(server.url);
  await provider.initialize();
  server.behave = () => undefined;
  const waiting = Promise.all(['a', 'b', 'c', 'd'].map((entity) => ask('colour', entity)));
  await until(() => server.requests.length > 1, MARGIN_MS);
  await provider.onClose();
  for (const { kind, message } of await waiting) {
    expect(kind).toBe('default');
    expect(message).toMatch(/closed|ended/);
  }
  const seen = server.requests.length;
  expect((await ask('colour', 'e')).message).toBe('the Flipt provider is closed: create a new FliptProvider');
  await clock.passes(3 * TIMES.openForMs);
  expect(server.requests).toHaveLength(seen);
});

it('says once that Flipt does not answer as it should, and once that it answers again', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events, log } = rig(server.url);
  await provider.initialize();
  server.behave = (socket) => socket.write(reply('200 OK', '<html>', ['content-type: text/html']));
  for (let round = 0; round < 30; round++) await ask('colour', `e-${round}`);
  await until(() => events.length > 0, MARGIN_MS);
  server.behave = well;
  await until(() => events.length > 1, MARGIN_MS);
  expect(log).toEqual([
    expect.stringMatching(/^Flipt does not answer as it should \(.*unreadable response/),
    'Flipt answers again',
  ]);
  expect(events).toEqual(['error', 'ready']);
  await provider.onClose();
});

it('obeys Retry-After within the deadline, in seconds and as a date', async () => {
  for (const header of [
    'retry-after: 1',
    () => `retry-after: ${new Date(clock.date() + 2_000).toUTCString()}`,
  ]) {
    await using server = await rawServer(well);
    const { provider, ask } = rig(server.url);
    await provider.initialize();
    server.requests.length = 0;
    server.behave = (socket) => {
      server.behave = well;
      const line = typeof header === 'string' ? header : header();
      socket.write(reply('429 Too Many Requests', '', [line]));
    };
    expect((await ask('colour', 'ann')).kind).toBe('own');
    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
    expect(server.requests).toHaveLength(2);
    await provider.onClose();
  }
});

it('answers at once past maxWaiting, and says so', async () => {
  await using server = await rawServer(well);
  const { provider, ask } = rig(server.url, {
    batch: { maxItems: 1, maxConcurrent: 1, maxWaiting: 2 },
    deadlineMs: IMPATIENT.deadlineMs,
  });
  await provider.initialize();
  await ask('colour', 'known');
  server.behave = () => undefined;
  const crowd = ['a', 'b', 'c', 'd'].map((entity) => ask('colour', entity));
  const known = await ask('colour', 'known');
  expect(known.kind).toBe('last-known');
  const outcomes = await Promise.all(crowd);
  expect(outcomes.filter(({ message }) => message.includes('batch.maxWaiting'))).toHaveLength(2);
  await provider.onClose();
});
