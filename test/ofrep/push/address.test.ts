import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ofrep } from '../../../src/express/index.js';
import { localService, open } from '../../provider/open.fixture.js';
import { listening } from '../../traffic/listening.fixture.js';
import { FEATURES, KEYS } from '../features.fixture.js';
import { hosted, HOSTS } from '../hosts.fixture.js';
import { follow } from './events.fixture.js';

const STREAM = '/ofrep/v1/evaluate/flags';
const followed = async () => {
  const service = await localService({ features: FEATURES });
  return (await open({ url: service.url, evaluation: 'in-process' })).provider;
};
/** Whether a stream stays open. Without room, it ends with a time to come back. */
const isOpened = async (url: string, headers: Readonly<Record<string, string>>) => {
  const events = await follow(url + STREAM, headers);
  await events.count(1);
  return !events.text().includes('retry: 20000');
};

describe.each(HOSTS)('the address of a stream, over %s', (_, host) => {
  it('limits streams, whatever users it names', async () => {
    const push = { maxStreamsPerAddress: 1 };
    const url = await hosted(host, { provider: await followed(), flags: KEYS, push, addressOf: (it) => it });
    expect(await isOpened(url, { 'x-user': 'ada', 'x-address': '198.51.100.1' })).toBe(true);
    expect(await isOpened(url, { 'x-user': 'grace', 'x-address': '198.51.100.1' })).toBe(false);
    expect(await isOpened(url, { 'x-user': 'grace', 'x-address': '198.51.100.2' })).toBe(true);
  });

  it('must be text: a promise is an error of the app', async () => {
    const addressOf = () => Promise.reject(new Error('later')) as never;
    const url = await hosted(host, { provider: await followed(), flags: KEYS, push: true, addressOf });
    expect((await follow(url + STREAM)).status).toBe(500);
  });
});

it("in Express, it is by default the client's, but not one that may be a proxy's", async () => {
  const app = express().set('trust proxy', true);
  const context = (req: express.Request) => ({ targetingKey: req.get('x-user') ?? '' });
  app.use(ofrep({ provider: await followed(), flags: KEYS, context, push: { maxStreamsPerAddress: 1 } }));
  const server = await listening(app);
  onTestFinished(server.close);
  const opens = (address: string, user: string) =>
    isOpened(server.url, { 'x-user': user, 'x-forwarded-for': address });
  for (const address of ['198.51.100.1', '2001:db8::1', '172.32.0.1', '100.128.0.1']) {
    expect([address, await opens(address, 'ada'), await opens(address, 'grace')]).toEqual([
      address,
      true,
      false,
    ]);
  }
  const inside = [
    '10.0.0.1',
    '127.0.0.1',
    '::ffff:192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
  ];
  for (const address of [...inside, 'fe80::1', '169.254.0.1']) {
    expect([address, await opens(address, `a${address}`), await opens(address, `b${address}`)]).toEqual([
      address,
      true,
      true,
    ]);
  }
});
