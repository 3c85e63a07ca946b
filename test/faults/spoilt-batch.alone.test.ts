import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../eventually.fixture.js';
import { askedItems, goodBody, rawServer, reply, well, type Behaviour } from './raw-server.fixture.js';
import { rig } from './rig.fixture.js';

/** Fails every batch that holds a bad flag, as the service does for an item that it cannot evaluate. */
const spoilt =
  (status: string): Behaviour =>
  (socket, request) => {
    const items = askedItems(request);
    const isSpoilt = items.some(({ flagKey }) => flagKey.startsWith('bad'));
    socket.write(
      isSpoilt
        ? reply(status, '{"code":13,"message":"broken","details":[]}')
        : reply('200 OK', goodBody(request, items)),
    );
  };

const SIZES = [...Array.from({ length: 20 }, (_, at) => at + 1), 31, 32, 33, 49, 50, 63, 64];

it.each<[string, readonly number[]]>([
  ['500 Internal Server Error', SIZES],
  ['400 Bad Request', [1, 10, 64]],
  ['404 Not Found', [1, 10, 64]],
  ['413 Too Large', [1, 10, 64]],
  ['422 Unprocessable', [1, 10, 64]],
])(
  '%s for one question, wherever it is in a batch: only it fails, within about 2 · √n extra requests and a check',
  async (status, sizes) => {
    await using server = await rawServer(spoilt(status));
    const { provider, ask, events } = rig(server.url, {
      batch: { maxItems: 64 },
      cache: false,
      deadlineMs: PATIENCE_MS,
    });
    await provider.initialize();
    // In larger batches, the first and last positions of the halves.
    for (const size of sizes) {
      const positions = Array.from({ length: size }, (_, at) => at);
      const edges = new Set([
        0,
        1,
        size >> 2,
        (size >> 1) - 1,
        size >> 1,
        (3 * size) >> 2,
        size - 2,
        size - 1,
      ]);
      const chosen = size <= 8 ? positions : positions.filter((at) => edges.has(at));
      for (const position of chosen) {
        server.requests.length = 0;
        // Another one each time: that of the last batch is asked alone.
        const bad = `bad-${size}-${position}`;
        const flags = positions.map((at) => (at === position ? bad : `flag-${at}`));
        const outcomes = await Promise.all(flags.map((flag) => ask(flag, 'ann')));
        expect(outcomes.map(({ kind }) => kind)).toEqual(
          flags.map((flag) => (flag === bad ? 'default' : 'own')),
        );
        expect(server.requests.length - 1).toBeLessThanOrEqual(2 * Math.ceil(Math.sqrt(size)) + 2);
      }
    }
    expect(events).toEqual([]);
    await provider.onClose();
  },
  60_000,
);

it.each(['a reset', '503'])(
  '%s of a firewall for one user: all others in the batch get their answers, and no event comes',
  async (outcome) => {
    await using server = await rawServer((socket, request) => {
      const items = askedItems(request);
      if (items.every(({ entityId }) => entityId !== 'refused')) well(socket, request);
      else if (outcome === 'a reset') socket.resetAndDestroy();
      else socket.write(reply('503 Service Unavailable', ''));
    });
    const { provider, ask, events } = rig(server.url, {
      batch: { maxItems: 20 },
      cache: false,
      deadlineMs: PATIENCE_MS,
    });
    await provider.initialize();
    // Connections that have been used before are closed in another way than new ones.
    for (let round = 0; round < 3; round++) {
      const users = Array.from({ length: 20 }, (_, at) => (at === 7 ? 'refused' : `${at}`));
      const outcomes = await Promise.all(users.map((user) => ask(`flag-${round}`, user)));
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        users.map((user) => (user === 'refused' ? 'default' : 'own')),
      );
    }
    expect(events).toEqual([]);
    await provider.onClose();
  },
  60_000,
);

it('sends a bad flag alone from then on, so that the others cost one request', async () => {
  await using server = await rawServer(spoilt('500 Internal Server Error'));
  const { provider, ask } = rig(server.url);
  await provider.initialize();
  const round = () => Promise.all(['a', 'b', 'bad', 'c'].map((flag) => ask(flag, 'ann')));
  await round();
  server.requests.length = 0;
  for (let again = 0; again < 3; again++) {
    expect((await round()).map(({ kind }) => kind)).toEqual(['own', 'own', 'default', 'own']);
  }
  expect(server.requests).toHaveLength(3 * 2);
  await provider.onClose();
});

it('never divides a batch after a 401', async () => {
  await using server = await rawServer(well);
  const { provider, ask } = rig(server.url);
  await provider.initialize();
  server.behave = (socket) => socket.write(reply('401 Unauthorized', ''));
  server.requests.length = 0;
  await Promise.all(['a', 'b', 'c', 'd'].map((flag) => ask(flag, 'ann')));
  // The batch, and the check with the old credentials and with fresh ones.
  expect(server.requests).toHaveLength(3);
  await provider.onClose();
});
