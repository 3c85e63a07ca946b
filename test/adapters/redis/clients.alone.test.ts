import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SharedPublication, SnapshotPlace } from '../../../src/options/snapshot-store.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import { CLIENTS, type OpenClient } from './clients.fixture.js';
import { noRedis, redisServer, type RedisServer } from './redis.fixture.js';

/** How much it has sent to its clients. */
const bytesSent = (server: RedisServer): number =>
  Number(/total_net_output_bytes:(\d+)/.exec(server.command('INFO', 'stats'))?.[1]);

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
    const publication = (fence: number, more: Partial<SharedPublication> = {}): SharedPublication => ({
      holder: 'one',
      fence,
      version: 'v1',
      confirmedAt: 5,
      text: 'the text, ünïcode 🎉',
      ...more,
    });

    it('gives the lease to one holder, who alone may write, until it is given back', async () => {
      const store = redisStore(opened.client);
      const shared = store.shared!(place);
      expect(await store.load(place)).toBeUndefined();
      const { fence = 0, record, time } = await shared.turn('one', 60_000);
      expect({ fence, record }).toEqual({ fence: 1, record: undefined });
      expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
      expect((await shared.turn('one', 60_000)).fence).toBe(1);
      expect((await shared.turn('one', 0)).fence).toBe(1);
      expect((await shared.turn('two', 60_000)).fence).toBeUndefined();
      expect(await shared.publish(publication(fence, { text: undefined }))).toBe('missing');
      expect(await shared.publish(publication(fence))).toBe('published');
      expect(await shared.publish(publication(fence, { text: undefined, confirmedAt: 7 }))).toBe('published');
      expect((await shared.turn('two', 60_000)).record).toEqual({
        version: 'v1',
        confirmedAt: 7,
      });
      expect(await store.load(place)).toBe('the text, ünïcode 🎉');
      // Another holder, and one that has lost its lease to another.
      expect(await shared.publish(publication(fence, { holder: 'two' }))).toBe('lost');
      await shared.release('two');
      expect((await shared.turn('two', 60_000)).fence).toBeUndefined();
      await shared.release('one');
      expect((await shared.turn('two', 60_000)).fence).toBe(2);
      await shared.release('two');
      expect((await shared.turn('one', 60_000)).fence).toBe(3);
      expect(await shared.publish(publication(fence, { text: 'old' }))).toBe('lost');
      expect(await store.load(place)).toBe('the text, ünïcode 🎉');
    });

    it('keeps the snapshots of several places apart, in keys of one hash tag each', async () => {
      const store = redisStore(opened.client);
      const other = { ...place, namespace: 'other {ns}', environment: 'production' };
      await store.save('other', other);
      expect(await store.load(other)).toBe('other');
      expect(server.command('GET', 'flipt:{http://flipt:8080/a|production|other %7Bns%7D}:snapshot')).toBe(
        'other',
      );
      await redisStore(opened.client, { key: 'mine' }).save('mine', place);
      expect(server.command('GET', '{mine}:snapshot')).toBe('mine');
      await redisStore(opened.client, { key: 'a{b}c' }).save('tagged', place);
      expect(server.command('GET', 'a{b}c:snapshot')).toBe('tagged');
    });

    it('lets the holder write on after the counter of leases was lost', async () => {
      const key = `counted ${name}`;
      const shared = redisStore(opened.client, { key }).shared!(place);
      const { fence = 0 } = await shared.turn('one', 60_000);
      server.command('DEL', `{${key}}:fence`);
      expect(await shared.turn('one', 60_000)).toMatchObject({ fence });
      expect(await shared.publish(publication(fence))).toBe('published');
      await shared.release('one');
      expect((await shared.turn('two', 60_000)).fence).toBe(1);
      expect(await shared.publish(publication(fence))).toBe('lost');
    });

    it('answers one provider about its lease while another one waits for a large text', async () => {
      let arrives: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (arrives = resolve));
      const slow = new Proxy(opened.client, {
        get: (client, member) =>
          member === 'get'
            ? async (key: string) => {
                await held;
                return client.get(key);
              }
            : (Reflect.get(client, member) as unknown),
      });
      const store = redisStore(slow, { key: `slow ${name}` });
      const loading = [store.load(place), store.load(place)];
      expect(await store.shared!(place).turn('one', 60_000)).toMatchObject({ fence: 1 });
      arrives();
      expect(await Promise.all(loading)).toEqual([undefined, undefined]);
    });

    it('notices that its text was deleted or overwritten, and lets only the lease expire', async () => {
      const store = redisStore(opened.client, { key: `spoilt ${name}` });
      const shared = store.shared!(place);
      const { fence = 0 } = await shared.turn('one', 60_000);
      await shared.publish(publication(fence));
      for (const spoilt of [['DEL'], ['SET', 'x']] as const) {
        const [command, ...args] = spoilt;
        server.command(command, `{spoilt ${name}}:snapshot`, ...args);
        expect(await shared.publish(publication(fence, { text: undefined }))).toBe('missing');
        expect(await shared.publish(publication(fence))).toBe('published');
      }
      for (const key of ['snapshot', 'record', 'fence']) {
        expect(server.command('TTL', `{spoilt ${name}}:${key}`)).toBe('-1');
      }
      expect(Number(server.command('PTTL', `{spoilt ${name}}:lease`))).toBeGreaterThan(0);
    });

    it('says what is wrong with what Redis holds', async () => {
      const key = `garbage ${name}`;
      const shared = redisStore(opened.client, { key }).shared!(place);
      server.command('HSET', `{${key}}:record`, 'version', 'v1', 'confirmedAt', 'never');
      expect((await shared.turn('one', 60_000)).record).toBeUndefined();
      server.command('SET', `{${key}}:record`, 'text');
      await expect(shared.turn('one', 60_000)).rejects.toThrow('WRONGTYPE');
    });

    it('serves several providers at once, and sends one command at a time', async () => {
      const sent: string[] = [];
      const counted = new Proxy(opened.client, {
        get: (client, name) => {
          const member: unknown = Reflect.get(client, name);
          if ((name !== 'get' && name !== 'eval') || typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            sent.push(name);
            return Reflect.apply(member, client, args);
          };
        },
      });
      const store = redisStore(counted);
      server.pause();
      const loading = Array.from({ length: 8 }, () => store.load(place));
      await new Promise((resolve) => setImmediate(resolve));
      const sentAtOnce = sent.length;
      server.resume();
      expect(sentAtOnce).toBe(1);
      expect(new Set(await Promise.all(loading))).toEqual(new Set(['the text, ünïcode 🎉']));
      expect(sent.filter((name) => name === 'get')).toHaveLength(8);
    });

    it('loads no text above 64 MB, and asks for its length alone', async () => {
      const store = redisStore(opened.client, { key: `large ${name}` });
      const key = `{large ${name}}:snapshot`;
      server.command('SETRANGE', key, String(64 * 1024 * 1024), 'x');
      const before = bytesSent(server);
      await expect(store.load(place)).rejects.toThrow(`${key} has 67108865 bytes, more than 67108864`);
      expect(bytesSent(server) - before).toBeLessThan(100_000);
      server.command('DEL', key);
      expect(await store.load(place)).toBeUndefined();
    });

    it('takes over a lease without an expiry, which nobody would ever give back', async () => {
      const store = redisStore(opened.client, { key: `eternal ${name}` });
      const shared = store.shared!(place);
      server.command('SET', `{eternal ${name}}:lease`, 'dead 1');
      expect(await shared.turn('one', 0)).toMatchObject({ fence: undefined });
      expect(await shared.turn('one', 60_000)).toMatchObject({ fence: 1 });
      expect(await shared.turn('two', 60_000)).toMatchObject({ fence: undefined });
      server.command('PERSIST', `{eternal ${name}}:lease`);
      expect(await shared.turn('one', 60_000)).toMatchObject({ fence: 1 });
      expect(Number(server.command('PTTL', `{eternal ${name}}:lease`))).toBeGreaterThan(0);
    });

    it('goes on after a command that has failed', async () => {
      const store = redisStore(opened.client, { key: `wrong ${name}` });
      server.command('HSET', `{wrong ${name}}:snapshot`, 'no', 'text');
      const failing = store.load(place);
      const later = store.shared!(place).turn('one', 0);
      await expect(failing).rejects.toThrow('WRONGTYPE');
      expect(await later).toMatchObject({ record: undefined });
    });
  });
});

describe('redisStore', () => {
  it.each([
    ['mine', '{mine}'],
    ['a{b}c', 'a{b}c'],
    ['a{}b{c}', '{a{}b{c}}'],
    ['a{b', '{a{b}'],
    ['}a', '{flipt}}a'],
    ['{}', '{{}}'],
  ])('given the key %s, names all keys so that a cluster keeps them together', async (key, named) => {
    const keys: string[] = [];
    const get = (name: string) => {
      keys.push(name);
      return Promise.resolve(null);
    };
    const none = () => Promise.resolve([]);
    const store = redisStore({ get, set: none, eval: none, isReady: true }, { key });
    await store.load({ url: 'http://flipt', namespace: 'default', environment: undefined });
    expect(keys).toEqual([`${named}:snapshot`]);
    // Redis hashes what stands between the first brace and the next closing one, or all of it if that is nothing.
    expect(named).toMatch(/^[^{]*\{[^}]+\}/);
  });

  it.each<[unknown, string]>([
    [undefined, 'got undefined'],
    ['redis://localhost', 'got a string'],
    [Promise.resolve({}), 'got a promise: await it'],
    [{ get: () => undefined }, 'got an object without set, eval'],
    [{ get: Math.abs, set: Math.abs, eval: Math.abs }, 'got another client'],
  ])('refuses a value that is not a client: %j', (client, message) => {
    const expected = `redisStore: client: expected a client of redis (node-redis), ioredis or iovalkey, ${message}`;
    expect(() => redisStore(client as never)).toThrow(new TypeError(expected));
  });

  it.each<[object, string]>([
    [{ key: '' }, "redisStore: key: expected the name of a key, got ''"],
    [{ key: 5 }, 'redisStore: key: expected the name of a key, got a number'],
    [{ keys: 'x' }, 'redisStore: keys: unknown option; did you mean "key"?'],
  ])('refuses wrong options: %j', (options, message) => {
    const commands = { get: Math.abs, set: Math.abs, eval: Math.abs, isReady: true };
    expect(() => redisStore(commands as never, options as never)).toThrow(new TypeError(message));
  });
});
