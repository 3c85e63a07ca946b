import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { rawServer, reply, well, type Behaviour, type RawRequest } from './raw-server.fixture.js';
import { MARGIN_MS, rig, TIMES, until } from './rig.fixture.js';

const clock = useTurningClock();

const unauthorized: Behaviour = (socket) =>
  socket.write(
    reply('401 Unauthorized', '{"code":16,"message":"request was not authenticated","details":[]}'),
  );

const authorizationOf = ({ head }: RawRequest) => /^authorization: (.*)$/im.exec(head)?.[1];

/** The authorization that is accepted. */
const accepting =
  (authorization: () => string): Behaviour =>
  (socket, request) => {
    (authorizationOf(request) === authorization() ? well : unauthorized)(socket, request);
  };

it.each<[string, FliptProviderOptions['auth'], string]>([
  ['token', { token: 'first-token' }, 'Bearer first-token'],
  ['jwt', { jwt: 'first.jwt' }, 'JWT first.jwt'],
  ['headers', { headers: () => ({ authorization: 'Custom first' }) }, 'Custom first'],
  ['headers, async', { headers: async () => ({ authorization: 'Custom first' }) }, 'Custom first'],
])('sends %s', async (_, auth, sent) => {
  await using server = await rawServer(accepting(() => sent));
  const { provider, ask } = rig(server.url, { auth });
  await provider.initialize();
  expect((await ask('colour', 'ann')).kind).toBe('own');
  await provider.onClose();
});

it('is stale when the service no longer accepts the token, and ready again by itself, with a log line for each', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events, log } = rig(server.url, { auth: { token: 'some-token' } });
  await provider.initialize();
  await ask('colour', 'ann');
  server.behave = unauthorized;
  server.requests.length = 0;
  const since = clock.now();
  for (let round = 0; round < 10; round++) {
    expect((await ask('colour', 'ann')).kind).toBe('last-known');
    const { kind, message } = await ask('colour', `new-${round}`);
    expect(kind).toBe('default');
    expect(message).toMatch(/401: request was not authenticated; check the option auth/);
  }
  expect(events).toEqual(['stale']);
  // A request that is tried twice, and the check that confirms the 401; after that, only checks.
  const probes = 1 + (clock.now() - since) / (TIMES.openForMs / 2);
  expect(server.requests.length).toBeLessThanOrEqual(2 + 2 + 2 * probes);
  server.behave = well;
  // No resolve is needed for this.
  await until(() => events.at(-1) === 'ready', 5_000);
  expect(events).toEqual(['stale', 'ready']);
  expect(log).toEqual([expect.stringMatching(/^Flipt rejected the credentials/), 'Flipt answers again']);
  expect((await ask('colour', 'ben')).kind).toBe('own');
  await provider.onClose();
});

it('goes to error on a 403 as well, and does not repeat the request', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events } = rig(server.url, { auth: { token: 'some-token' } });
  await provider.initialize();
  server.behave = (socket) => socket.write(reply('403 Forbidden', ''));
  server.requests.length = 0;
  expect((await ask('colour', 'ann')).message).toMatch(/answered 403/);
  // The batch, and the check, which is rejected as well.
  expect(server.requests).toHaveLength(2);
  expect(events).toEqual(['error']);
  server.behave = well;
  await until(async () => (await ask('colour', 'ann')).kind === 'own', MARGIN_MS);
  expect(events).toEqual(['error', 'ready']);
  await provider.onClose();
});

it('tries once more after a single 401, and changes no state', async () => {
  await using server = await rawServer(well);
  const { provider, ask, events } = rig(server.url, { auth: { token: 'some-token' } });
  await provider.initialize();
  for (let round = 0; round < 5; round++) {
    server.behave = (socket, request) => {
      server.behave = well;
      unauthorized(socket, request);
    };
    expect((await ask('colour', `e-${round}`)).kind).toBe('own');
  }
  expect(events).toEqual([]);
  await provider.onClose();
});

it('refreshes the credentials once for all rejected requests, and sends each once more', async () => {
  let given = 'Custom 0';
  const headers = () => ({ authorization: given });
  await using server = await rawServer(accepting(() => given));
  const { provider, ask } = rig(server.url, { auth: { headers }, batch: false });
  await provider.initialize();
  server.requests.length = 0;
  const refused: (() => void)[] = [];
  server.behave = (socket, request) => {
    refused.push(() => {
      unauthorized(socket, request);
    });
    if (refused.length < 8) return;
    given = 'Custom 1';
    server.behave = accepting(() => given);
    for (const refuse of refused) refuse();
  };
  const outcomes = await Promise.all(Array.from({ length: 8 }, (_, at) => ask('colour', `e-${at}`)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(8).fill('own'));
  const sent = server.requests.map(authorizationOf);
  expect(sent).toEqual([...Array<string>(8).fill('Custom 0'), ...Array<string>(8).fill('Custom 1')]);
  await provider.onClose();
});

it('says once that there are no credentials, before and after the start', async () => {
  await using server = await rawServer(well);
  const { provider, ask, log } = rig(server.url, {
    auth: {
      headers: () => {
        throw new TypeError('sealed');
      },
    },
    initTimeoutMs: 11, // Up to 10 ms, the provider would also warn about the unit.
  });
  await expect(provider.initialize()).rejects.toThrow('auth.headers threw TypeError');
  await ask('colour', 'ann');
  expect(log).toEqual([
    expect.stringMatching(/^There are no credentials to send to Flipt \(.*threw TypeError/),
  ]);
  expect(server.requests).toEqual([]);
  await provider.onClose();
});

it('reads a token file again when it changes, and survives its absence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  const tokenFile = join(folder, 'token');
  const replace = async (token: string) => {
    await writeFile(`${tokenFile}.new`, `${token}\n`);
    await rename(`${tokenFile}.new`, tokenFile);
  };
  let valid = 'Bearer token-one';
  await replace('token-one');
  await using server = await rawServer(accepting(() => valid));
  const { provider, ask, events } = rig(server.url, { auth: { tokenFile } });
  try {
    await provider.initialize();
    expect((await ask('colour', 'a')).kind).toBe('own');
    valid = 'Bearer token-two';
    await replace('token-two');
    server.requests.length = 0;
    expect((await ask('colour', 'b')).kind).toBe('own');
    expect(server.requests).toHaveLength(1);
    await rm(tokenFile);
    const { kind, message } = await ask('colour', 'c');
    expect(kind).toBe('default');
    expect(message).toMatch(/tokenFile .* cannot be read \(ENOENT\)/);
    await until(() => events.length > 0, MARGIN_MS);
    expect(events).toEqual(['stale']);
    await replace('token-two');
    await until(async () => (await ask('colour', 'd')).kind === 'own', MARGIN_MS);
    expect(events).toEqual(['stale', 'ready']);
  } finally {
    await provider.onClose();
    await rm(folder, { recursive: true });
  }
});

it.each([
  ['with a page of HTML', { auth: { token: 'some-token' } }, ['content-type: text/html']],
  ['without credentials', {}, []],
] as const)('a 403 %s is no rejected credential', async (_, options, headers) => {
  await using server = await rawServer(well);
  const { provider, ask, log } = rig(server.url, options);
  await provider.initialize();
  server.behave = (socket) => socket.write(reply('403 Forbidden', '<html>', [...headers]));
  expect((await ask('colour', 'ann')).message).toMatch(/answered 403/);
  await until(() => provider.getStatus().problems.length > 0, MARGIN_MS);
  expect(provider.getStatus().problems).toEqual(['unreachable']);
  expect(log).toEqual([expect.stringMatching(/^Flipt does not answer as it should \(.* 403/)]);
  await provider.onClose();
});
