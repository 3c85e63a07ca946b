import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { heapInUse } from '../garbage.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { faults } from './fault-table.fixture.js';
import { rawServer, well } from './raw-server.fixture.js';
import { held, IMPATIENT, MARGIN_MS, rig, until } from './rig.fixture.js';

const clock = useTurningClock(25);
const MEGABYTE = 1024 * 1024;

// Concurrent, because they mostly wait for time-outs.
it.concurrent.each(faults)('$name: no request stays behind in the pool', async (fault) => {
  await using server = await rawServer(well);
  const pool = new Pool(server.url);
  const times = fault.timesOut === true ? IMPATIENT : { http: {} };
  const { provider, ask } = rig(server.url, {
    ...times,
    http: { ...times.http, dispatcher: pool },
    breaker: false,
  });
  await provider.initialize();
  await fault.begin(server);
  for (let round = 0; round < 6; round++) {
    await Promise.all(['a', 'b', 'c'].map((entity) => ask('colour', `${entity}-${round}`)));
  }
  // A resolve may end at its deadline while its request continues until its own time-out.
  await until(() => pool.stats.running === 0 && pool.stats.pending === 0 && pool.stats.size === 0, MARGIN_MS);
  if (fault.end === undefined) server.behave = well;
  else await fault.end(server);
  await until(async () => (await ask('colour', 'afterwards')).kind === 'own', MARGIN_MS);
  await provider.onClose();
  expect(pool.closed).toBe(false);
  await pool.close();
});

it('memory is where it was after thousands of failures', async () => {
  await using server = await rawServer(well);
  const { provider, ask } = rig(server.url, { cache: { freshForMs: 0, staleForMs: 0, maxEntries: 100 } });
  await provider.initialize();
  const fail = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      server.behave = round % 2 === 0 ? (socket) => socket.resetAndDestroy() : well;
      await Promise.all(Array.from({ length: 20 }, (_, at) => ask('colour', `${round}-${at}`)));
      server.requests.length = 0;
    }
    return heapInUse();
  };
  const before = await fail(200);
  const after = await fail(600);
  expect(after - before).toBeLessThan(4 * MEGABYTE);
  await provider.onClose();
});

it('a provider closed in the middle of everything leaves neither sockets nor timers', async () => {
  const before = held();
  {
    await using server = await rawServer(() => undefined);
    const { provider, ask } = rig(server.url, { http: { timeoutMs: 60_000 }, deadlineMs: 60_000 });
    const starting = provider.initialize().catch((error: unknown) => error);
    const asked = ['a', 'b', 'c'].map((entity) => ask('colour', entity));
    await until(() => server.requests.length > 1, MARGIN_MS);
    await provider.onClose();
    expect(await starting).toMatchObject({ code: 'PROVIDER_NOT_READY' });
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['default', 'default', 'default']);
  }
  await until(() => clock.timers() === 0, MARGIN_MS);
  await until(() => Object.entries(held()).every(([name, count]) => count <= (before[name] ?? 0)), MARGIN_MS);
});
