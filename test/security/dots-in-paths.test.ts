import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { FliptProvider } from '../../src/index.js';
import type { HttpOptions } from '../../src/options/http-options.js';
import { clientSettings } from '../../src/options/settings.js';
import { serving } from '../provider/open.fixture.js';

/* Servers read `..` in a path, and `%2E%2E`, as a step up: an update of a variant became one of its flag. */

const DOTS = ['.', '..', '../..', 'a/../b', 'a/..', './a', '..\\a'];

const UPDATE = { name: 'S', description: '', matchType: 'ALL_MATCH_TYPE' } as const;

type Ask = (client: FliptClient, dots: string) => Promise<unknown>;

/** Each part of each operation's path. */
const ASKS: readonly (readonly [part: string, ask: Ask])[] = [
  ['id', (client, dots) => client.tokens.get(dots)],
  ['namespace', (client, dots) => client.rules.list(dots, 'f')],
  ['flag', (client, dots) => client.rules.list('default', dots)],
  ['namespace', (client, dots) => client.rules.create(dots, 'f', { segmentKey: 's', rank: 1 })],
  ['flag', (client, dots) => client.rules.create('default', dots, { segmentKey: 's', rank: 1 })],
  ['flag', (client, dots) => client.rules.iterate('default', dots).next()],
  ['namespace', (client, dots) => client.variants.update(dots, 'f', 'id', { key: 'a' })],
  ['flag', (client, dots) => client.variants.update('default', dots, 'id', { key: 'a' })],
  ['id', (client, dots) => client.variants.update('default', 'f', dots, { key: 'a' })],
  ['namespace', (client, dots) => client.segments.list(dots)],
  ['namespace', (client, dots) => client.segments.iterate(dots).next()],
  ['namespace', (client, dots) => client.segments.get(dots, 's')],
  ['key', (client, dots) => client.segments.get('default', dots)],
  ['namespace', (client, dots) => client.segments.create(dots, { key: 's', name: 'S' })],
  ['namespace', (client, dots) => client.segments.update(dots, 's', UPDATE)],
  ['key', (client, dots) => client.segments.update('default', dots, UPDATE)],
];

const TRANSPORTS: readonly ((url: string) => HttpOptions)[] = [
  () => ({}),
  (url) => ({ proxy: url }),
  () => ({ dispatcher: new Agent() }),
];

it.each(ASKS)('the client refuses dots as %s, and sends nothing', async (part, ask) => {
  const server = await serving((_request, response) => response.writeHead(404).end('{}'));
  const client = new FliptClient({ url: server.url });
  for (const dots of DOTS) {
    await expect(ask(client, dots)).rejects.toThrow(
      new TypeError(`${part}: expected text without "." or ".." as a part, which leads to another path`),
    );
  }
  await client.close();
  expect(server.requests).toEqual([]);
});

describe.each(DOTS)('%j', (dots) => {
  it('is refused as namespace and as environment, by option and by variable', () => {
    expect(() => new FliptProvider({ namespace: dots })).toThrow(/namespace: expected the key .* as a part/);
    expect(() => new FliptProvider({ environment: dots })).toThrow(/environment: expected .* as a part/);
    expect(() => new FliptClient({ environment: dots })).toThrow(/environment: expected .* as a part/);
    expect(() => clientSettings({}, { FLIPT_ENVIRONMENT: dots })).toThrow(/FLIPT_ENVIRONMENT: expected/);
  });
});

it.each(['a.b', '...', '.a', 'a..', '..a/b', 'a/b', 'a?b=c', 'a#b', 'a%2Fb'])(
  '%j is no step, and is sent',
  async (key) => {
    const server = await serving((_, response) => response.writeHead(404).end('{}'));
    for (const httpOf of TRANSPORTS) {
      const client = new FliptClient({ url: server.url, http: httpOf(server.url) });
      await client.segments.get('default', key).catch(() => undefined);
      await client.close();
    }
    const path = `/api/v1/namespaces/default/segments/${encodeURIComponent(key)}`;
    expect(server.requests.map((request) => request.path.replace(server.url, ''))).toEqual(
      TRANSPORTS.map(() => path),
    );
  },
);
