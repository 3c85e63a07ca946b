import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { START_WAIT_MS } from '../../src/snapshot/source.js';
import { systemClock, type Clock } from '../../src/base/time/clock.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { faults, type Fault } from './fault-table.fixture.js';
import {
  ofSnapshots,
  ownAnswer,
  rawServer,
  reply,
  serving,
  well,
  type Behaviour,
  type RawServer,
} from './raw-server.fixture.js';
import { IMPATIENT, MARGIN_MS, rig, TIMES, until, type Rig } from './rig.fixture.js';

useTurningClock();

const FLAG = 'colour';
const DEFAULT = 'the default';
const BY_SNAPSHOT = 'by the snapshot';
const SNAPSHOT = {
  namespace: { key: 'default' },
  flags: [
    {
      key: FLAG,
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      defaultVariant: { id: 'v', key: BY_SNAPSHOT, attachment: '' },
    },
  ],
};
const servingSnapshot = serving(JSON.stringify(SNAPSHOT), 'etag: one');
const MODES = ['remote', 'in-process'] as const;
const CALLERS = 3;
const ROUNDS = 5;

const rejecting =
  (status: string): Behaviour =>
  (socket) =>
    socket.write(reply(status, '{"code":16,"message":"request was not authenticated","details":[]}'));
const behaving = (name: string, behave: Behaviour): Fault => ({
  name,
  begin: (server) => {
    server.behave = behave;
  },
  message: /./,
  counts: 'outage',
});
const FAULTS: readonly Fault[] = [
  ...faults,
  behaving('rejected credentials (401)', rejecting('401 Unauthorized')),
  behaving('rejected credentials (403)', rejecting('403 Forbidden')),
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flipt-faults-'));
  // The clock turns on while a disk is slow, and after 250 ms a start goes on without the saved snapshot.
  const turning = { ...systemClock };
  const after: Clock['after'] = (ms, run, background) =>
    turning.after(ms === START_WAIT_MS ? 60_000 : ms, run, background);
  Object.assign(systemClock, { after });
});
afterAll(() => rm(folder, { recursive: true }));

/** Asks all the time for new users, until it is ended. */
function asking({ provider }: Rig) {
  const wrong: unknown[] = [];
  let users = 0;
  let isEnded = false;
  let lastReason: string | undefined;
  const caller = async () => {
    while (!isEnded) {
      const entity = `user-${++users}`;
      const details = await provider.resolveStringEvaluation(FLAG, DEFAULT, { targetingKey: entity });
      lastReason = details.reason;
      const isRight = [ownAnswer(FLAG, entity), BY_SNAPSHOT].includes(details.value);
      if (!isRight || details.errorCode !== undefined) wrong.push(details);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  return {
    wrong,
    asked: () => users,
    isStale: () => lastReason === 'STALE',
    async end() {
      isEnded = true;
      await Promise.all(callers);
    },
  };
}

const begin = async (fault: Fault, server: RawServer) => {
  await fault.begin(server);
  server.serveSnapshot = ofSnapshots(server.behave);
};
const end = async (fault: Fault, server: RawServer) => {
  server.serveSnapshot = servingSnapshot;
  if (fault.end === undefined) server.behave = well;
  else await fault.end(server);
};

function opened(url: string, fault: Pick<Fault, 'timesOut'>, options: FliptProviderOptions): Rig {
  return rig(url, { ...(fault.timesOut ? IMPATIENT : {}), watch: { pollMs: 100 }, ...options });
}

/** Until the service answers again, and the provider says so. */
async function recovered({ provider, events }: Rig, callers: ReturnType<typeof asking>, fault?: Fault) {
  // The poll under way has a minute, and the next one waits as long as the service has asked for.
  if (fault?.timesOut === true || fault?.name.startsWith('429')) return;
  await until(
    () => {
      // On a busy machine a poll takes long, and the next one comes after 20 times that time.
      provider.invalidate();
      return !callers.isStale() && (events.at(-1) ?? 'ready') === 'ready';
    },
    2 * TIMES.maxOpenForMs + 2 * MARGIN_MS,
  );
}

describe.each(MODES)('with a snapshot, %s, nobody gets a default', (evaluation) => {
  it.concurrent.each(FAULTS)('from the beginning to the end of: $name', async (fault) => {
    await using server = await rawServer(well);
    server.serveSnapshot = servingSnapshot;
    const rigged = opened(server.url, fault, { evaluation });
    await rigged.provider.initialize();
    // Without this call, the first poll would come up to 250 ms after the start in remote mode.
    await rigged.provider.refresh();
    await until(async () => (await rigged.provider.getSnapshot()) !== undefined, MARGIN_MS);
    const callers = asking(rigged);
    await begin(fault, server);
    const before = callers.asked();
    await until(() => callers.asked() >= before + CALLERS * ROUNDS, 2 * MARGIN_MS);
    await end(fault, server);
    await recovered(rigged, callers, fault);
    await callers.end();
    expect(callers.wrong).toEqual([]);
    expect(rigged.events).not.toContain('error');
    await rigged.provider.onClose();
  });

  it.concurrent('in a restart', async () => {
    await using server = await rawServer(well);
    server.serveSnapshot = servingSnapshot;
    const rigged = opened(server.url, {}, { evaluation });
    await rigged.provider.initialize();
    // Without this call, the first poll would come up to 250 ms after the start in remote mode.
    await rigged.provider.refresh();
    await until(async () => (await rigged.provider.getSnapshot()) !== undefined, MARGIN_MS);
    const callers = asking(rigged);
    for (let restart = 0; restart < 3; restart++) {
      await server.stop();
      await server.start();
      const before = callers.asked();
      await until(() => callers.asked() >= before + CALLERS, MARGIN_MS);
    }
    await recovered(rigged, callers);
    await callers.end();
    expect(callers.wrong).toEqual([]);
    await rigged.provider.onClose();
  });

  it.concurrent.each(FAULTS)('from a start with a saved snapshot, amid: $name', async (fault) => {
    await using server = await rawServer(well);
    server.serveSnapshot = servingSnapshot;
    const file = join(folder, `${evaluation} ${fault.name.replaceAll('/', ' ')}`);
    const earlier = opened(server.url, {}, { snapshot: { file } });
    await earlier.provider.initialize();
    await until(async () => (await earlier.provider.getSnapshot()) !== undefined, MARGIN_MS);
    await earlier.provider.onClose();

    await begin(fault, server);
    const rigged = opened(server.url, fault, { evaluation, snapshot: { file } });
    await rigged.provider.initialize();
    const callers = asking(rigged);
    await until(() => callers.asked() >= CALLERS * ROUNDS, 2 * MARGIN_MS);
    await end(fault, server);
    await recovered(rigged, callers, fault);
    await callers.end();
    expect(callers.wrong).toEqual([]);
    await rigged.provider.onClose();
  });

  it.concurrent('from a start with an initial snapshot, though the service never existed', async () => {
    const server = await rawServer(well);
    await server.stop();
    const rigged = opened(server.url, {}, { evaluation, snapshot: { initial: SNAPSHOT } });
    await rigged.provider.initialize();
    const callers = asking(rigged);
    await until(() => callers.asked() >= CALLERS * ROUNDS, MARGIN_MS);
    await until(() => rigged.events.includes('stale'), MARGIN_MS);
    await callers.end();
    expect(callers.wrong).toEqual([]);
    expect(rigged.events).toEqual(['stale']);
    await rigged.provider.onClose();
  });
});
