import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SnapshotPlace } from '../../../src/options/snapshot-store.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import { CLIENTS, type OpenClient } from './clients.fixture.js';
import { noRedis, redisServer, type RedisServer } from './redis.fixture.js';

const keyOf = ({ url, namespace }: SnapshotPlace) => `flipt:{${url}||${namespace}}`;

describe.skipIf(noRedis !== undefined)('a store in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await redisServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe.each(CLIENTS)('with %s', (name, open) => {
    let opened: OpenClient;
    beforeAll(async () => {
      opened = await open(server.socket);
    });
    afterAll(() => {
      opened.close();
    });

    const place: SnapshotPlace = {
      url: 'http://flipt:8080/a',
      namespace: `of ${name}`,
      environment: undefined,
    };
    it('gives the lease to one instance, which renews it, until it expires', async () => {
      const [one, two] = [redisStore(opened.client).shared!(place), redisStore(opened.client).shared!(place)];
      expect([await one.claim(60_000), await two.claim(60_000)]).toEqual([true, false]);
      const leftMs = () => Number(server.command('PTTL', `${keyOf(place)}:lease`));
      expect(await one.claim(90_000.5)).toBe(true);
      expect(leftMs()).toBeGreaterThan(60_000);
      server.command('DEL', `${keyOf(place)}:lease`);
      expect([await two.claim(60_000), await one.claim(60_000)]).toEqual([true, false]);
    });

    it('tells all instances what one has announced, until that expires', async () => {
      const store = redisStore(opened.client);
      const shared = store.shared!(place);
      expect([await store.load(place), await shared.look()]).toEqual([undefined, undefined]);
      await shared.announce('one', 60_000, 'the text, ünïcode 🎉');
      expect([await store.load(place), await shared.look()]).toEqual(['the text, ünïcode 🎉', 'one']);
      await shared.announce('two', 60_000);
      expect([await store.load(place), await shared.look()]).toEqual(['the text, ünïcode 🎉', 'two']);
      expect(server.command('TTL', `${keyOf(place)}:snapshot`)).toBe('-1');
      expect(Number(server.command('PTTL', `${keyOf(place)}:heartbeat`))).toBeGreaterThan(0);
    });

    it('keeps the snapshots of several places apart, also in keys of your own', async () => {
      const store = redisStore(opened.client);
      const other = { ...place, namespace: 'other {ns}', environment: 'production' };
      await store.save('other', other);
      expect(await store.load(other)).toBe('other');
      expect(server.command('GET', 'flipt:{http://flipt:8080/a|production|other %7Bns%7D}:snapshot')).toBe(
        'other',
      );
      await redisStore(opened.client, { key: 'mine' }).save('mine', place);
      expect(server.command('GET', 'mine:snapshot')).toBe('mine');
      await redisStore(opened.client, { key: 'a{b}c' }).save('tagged', place);
      expect(server.command('GET', 'a{b}c:snapshot')).toBe('tagged');
    });

    it('goes on after a command that has failed', async () => {
      const store = redisStore(opened.client, { key: `wrong ${name}` });
      server.command('HSET', `wrong ${name}:snapshot`, 'no', 'text');
      const failing = store.load(place);
      const later = store.shared!(place).look();
      await expect(failing).rejects.toThrow('WRONGTYPE');
      expect(await later).toBeUndefined();
    });
  });
});

describe('redisStore', () => {
  it.each<[unknown, string]>([
    [undefined, 'got undefined'],
    ['redis://localhost', 'got a string'],
    [Promise.resolve({}), 'got a Promise'],
    [{ get: Math.abs, isOpen: true }, 'got an object'],
    [{ get: Math.abs, set: Math.abs }, 'got an object'],
    [new Map(), 'got a Map'],
  ])('refuses a value that is not a client: %j', (client, message) => {
    const expected = `redisStore: client: expected a connected client of redis (node-redis), ioredis or iovalkey, ${message}`;
    expect(() => redisStore(client as never)).toThrow(new TypeError(expected));
  });

  it.each<[object, string]>([
    [{ key: '' }, "redisStore: key: expected the name of a key, got ''"],
    [{ key: 5 }, 'redisStore: key: expected the name of a key, got a number'],
    [{ keys: 'x' }, 'redisStore: keys: unknown option; did you mean "key"?'],
  ])('refuses wrong options: %j', (options, message) => {
    const commands = { get: Math.abs, set: Math.abs, isOpen: true };
    expect(() => redisStore(commands as never, options as never)).toThrow(new TypeError(message));
  });
});
