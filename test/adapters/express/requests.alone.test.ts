import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { OpenFeature } from '@openfeature/server-sdk';
import { expect, it } from 'vitest';
import { flags } from '../../../src/adapters/express/index.js';
import { startLocalService } from '../../../src/local/index.js';
import { crowd } from '../../traffic/crowd.fixture.js';
import { get } from '../../traffic/listening.fixture.js';
import { FEW_USERS, USERS, whoseFeatures } from '../../traffic/whose.fixture.js';
import {
  byQuery,
  describeEachExpress,
  FLAGS,
  registered,
  route,
  service,
  addressForAll,
  use,
  user,
  whose,
} from './app.fixture.js';

describeEachExpress((serve, express) => {
  it('answers the same twice in a request, even if the flag changes in between', async () => {
    const provider = await registered({ cache: false });
    const isOn = async () => OpenFeature.getClient().getStringDetails('whose-0', 'nobody');
    const url = await serve(
      use(flags({ context: byQuery })),
      use(flags({ context: byQuery })),
      route(async () => {
        const before = await isOn();
        await service.setFlag('default', 'whose-0', { enabled: before.value === 'nobody' });
        provider.invalidate();
        const after = await isOn();
        return [before.value, after.value];
      }),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
    expect(await get(`${url}/?user=user-7`)).toEqual(['nobody', 'nobody']);
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
  });

  it('answers the same when the client has disconnected', async () => {
    const provider = await registered({ cache: false });
    const reached = new EventEmitter();
    const url = await serve(use(flags({ context: byQuery, prefetch: FLAGS })), (app) => {
      app.get('/', (req, res, next) => {
        const go = async () => {
          const before = await whose('whose-0', req.flags);
          const closed = once(res, 'close');
          reached.emit('handler');
          await closed;
          await service.setFlag('default', 'whose-0', { enabled: false });
          provider.invalidate();
          reached.emit('answers', [before, await whose('whose-0', req.flags)]);
        };
        go().catch(next);
      });
    });
    const answers = once(reached, 'answers');
    const handler = once(reached, 'handler');
    const client = httpRequest(`${url}/?user=user-7`).on('error', () => undefined);
    client.end();
    await handler;
    client.destroy();
    expect(await answers).toEqual([['user-7', 'user-7']]);
  });

  it('keeps two apps with different domains apart', async () => {
    await using other = await startLocalService({ features: whoseFeatures(['user-8'], 1) });
    await registered({}, 'one');
    await registered({ url: other.url }, 'two');
    const read = route(async (req) => [req.flags.metadata.domain ?? '', await whose('whose-0', req.flags)]);
    const one = await serve(use(flags({ context: byQuery, domain: 'one', prefetch: ['whose-0'] })), read);
    const two = await serve(use(flags({ context: byQuery, domain: 'two', prefetch: ['whose-0'] })), read);
    const asked = FEW_USERS.map(async (name) => {
      expect(await get(`${one}/?user=${name}`)).toEqual(['one', name]);
      expect(await get(`${two}/?user=${name}`)).toEqual(['two', name === 'user-8' ? name : 'nobody']);
    });
    await Promise.all(asked);
  });

  it('keeps the users of 200 concurrent requests apart', { timeout: 180_000 }, async () => {
    await registered({ url: await addressForAll(), cache: { freshForMs: 50, staleForMs: 50 } });
    const url = await serve(
      use(express.json()),
      use(flags({ context: (req) => ({ ...byQuery(req), user: user(req) }), prefetch: FLAGS.slice(0, 3) })),
      route(async (req) => {
        const early = whose('whose-5', req.flags);
        const asked = [await whose(), await whose('whose-1', req.flags), await whose('whose-attribute')];
        await new Promise(setImmediate);
        return [...asked, await whose('whose-4'), await early];
      }),
    );
    await crowd(USERS, async (name, round) => {
      const init =
        round % 2 === 0
          ? {}
          : { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
      return (await get(`${url}/?user=${name}`, init)) as string[];
    });
  });
});
