import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { faults } from './fault-table.fixture.js';
import {
  ofSnapshots,
  rawServer,
  reply,
  serving,
  well,
  type Behaviour,
  type RawServer,
} from './raw-server.fixture.js';
import { MARGIN_MS, rig, until } from './rig.fixture.js';

const SNAPSHOT = JSON.stringify({
  namespace: { key: 'default' },
  flags: [{ key: 'colour', type: 'BOOLEAN_FLAG_TYPE', enabled: true }],
});

/** What the fault does to a request that it concerns. */
function behaviourOf(begin: (server: RawServer) => unknown): Behaviour | undefined {
  const server = { behave: undefined as Behaviour | undefined };
  // The faults of a whole server need more than this.
  try {
    void begin(server as unknown as RawServer);
  } catch {
    return undefined;
  }
  return server.behave;
}

let bombMade: Buffer | undefined;
/** Made only once, because compressing it takes a second. */
const makeBomb = () => (bombMade ??= gzipSync(Buffer.alloc(100 * 1024 * 1024, ' ')));

const OF_EVALUATIONS = faults.flatMap(({ name, begin }) => {
  const behave = behaviourOf(begin);
  return behave === undefined ? [] : [{ name, behave }];
});
const OF_SNAPSHOTS: readonly { readonly name: string; readonly behave: Behaviour }[] = [
  { name: 'an empty object', behave: serving('{}') },
  { name: 'a list', behave: serving('[]') },
  { name: 'another namespace', behave: serving('{"namespace":{"key":"team"},"flags":[]}') },
  { name: 'half a snapshot', behave: serving(SNAPSHOT.slice(0, -10)) },
  { name: 'a flag of a new type', behave: serving('{"flags":[{"key":"a","type":"NEW"}]}') },
  { name: 'gzip that is none', behave: serving(SNAPSHOT, 'content-encoding: gzip') },
  { name: '304 without an ETag', behave: (socket) => socket.write(reply('304 Not Modified', '')) },
  { name: 'an ETag of 60 kB', behave: serving(SNAPSHOT, `etag: ${'x'.repeat(60_000)}`) },
  {
    name: 'a bomb of 100 MB',
    behave: (socket) => {
      const bomb = makeBomb();
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
  },
];

describe.each([
  ['from the start', false],
  ['after the first snapshot', true],
] as const)('a fault of the snapshot alone, %s, changes no resolve:', (_when, hadSnapshot) => {
  it.each([...OF_EVALUATIONS, ...OF_SNAPSHOTS])('$name', async ({ behave }) => {
    await using server = await rawServer(well);
    let polls = 0;
    const failing: Behaviour = (socket, request) => {
      polls++;
      ofSnapshots(behave)(socket, request);
    };
    server.serveSnapshot = hadSnapshot
      ? (socket, request) => {
          server.serveSnapshot = failing;
          serving(SNAPSHOT)(socket, request);
        }
      : failing;
    const { provider, ask, events } = rig(server.url, { watch: { pollMs: 1_000 } });
    await provider.initialize();
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((entity) => ask('colour', `${entity}-${round}`)),
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(['own', 'own', 'own']);
    }
    provider.invalidate();
    await until(() => polls > 0, MARGIN_MS);
    expect((await ask('colour', 'afterwards')).kind).toBe('own');
    expect(events).toEqual([]);
    await provider.onClose();
  });
});
