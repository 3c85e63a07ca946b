import { MultiProvider, OpenFeature } from '@openfeature/server-sdk';
import type { Request } from 'express';
import { expect, it, vi } from 'vitest';
import { flags, setRequestContext, type FlagsOptions } from '../../../src/adapters/express/index.js';
import { get } from '../../traffic/listening.fixture.js';
import {
  byQuery,
  describeEachExpress,
  FLAGS,
  registered,
  route,
  service,
  use,
  whose,
} from './app.fixture.js';
import { questionsTo } from '../../servers/questions-to.fixture.js';
import { flipt } from '../../provider/open.fixture.js';

describeEachExpress((serve) => {
  it('answers a handler that reads ten flags one after another for a new user with one request', async () => {
    await registered({ watch: false });
    OpenFeature.setContext({ region: 'eu' });
    const read = async (req: Request) => {
      const answers: string[] = [];
      for (const flag of FLAGS) answers.push(await whose(flag, req.flags));
      return answers;
    };
    const url = await serve(use(flags({ context: byQuery, prefetch: FLAGS })), route(read));
    const questions = questionsTo(service);
    expect(await get(`${url}/?user=user-7`)).toEqual(FLAGS.map(() => 'user-7'));
    expect(questions()).toBe(1);
  });

  it('asks for nothing on routes that resolve no flag: 100 requests, and 404s, make no batch', async () => {
    await registered({ watch: false });
    const url = await serve(use(flags({ context: byQuery, prefetch: FLAGS })), (app) => {
      app.get('/healthz', (_req, res) => {
        res.json('ok');
      });
      app.get('/page', async (req, res) => {
        res.json(await whose('whose-0', req.flags));
      });
    });
    const batches = questionsTo(service);
    for (let at = 0; at < 100; at++) await get(`${url}/healthz?user=user-${at}`);
    await fetch(`${url}/not-there?user=user-1`);
    expect(batches()).toBe(0);
    await get(`${url}/page?user=user-7`);
    expect(batches()).toBe(1);
  });

  it('prefetches again when the context has changed, as after a login', async () => {
    const provider = await registered({ watch: false });
    const prefetch = vi.spyOn(provider, 'prefetch');
    const read = async (req: Request) => {
      setRequestContext({ targetingKey: 'user-8' });
      const first = await whose('whose-0', req.flags);
      setRequestContext({ targetingKey: 'user-8' });
      const second = await whose('whose-1', req.flags);
      setRequestContext({ targetingKey: 'user-9' });
      return [first, second, await whose('whose-0', req.flags), await whose('whose-1')];
    };
    const url = await serve(use(flags({ context: byQuery, prefetch: FLAGS })), route(read));
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-8', 'user-8', 'user-9', 'user-9']);
    expect(prefetch.mock.calls.map(([, context]) => context?.targetingKey)).toEqual(['user-8', 'user-9']);
  });

  it('prefetches what a function names for the request, from the provider it is given', async () => {
    const provider = flipt({ url: service.url, watch: false });
    const prefetch = vi.spyOn(provider, 'prefetch');
    await OpenFeature.setProviderAndWait(provider);
    const options: FlagsOptions = {
      context: byQuery,
      provider,
      prefetch: (req) => (req.query.user === 'user-7' ? ['whose-0'] : []),
    };
    const url = await serve(
      use(flags(options)),
      route(async () => whose()),
    );
    await get(`${url}/?user=user-7`);
    await get(`${url}/?user=user-8`);
    expect(prefetch.mock.calls.map(([flagKeys, context]) => [flagKeys, context?.targetingKey])).toEqual([
      [['whose-0'], 'user-7'],
    ]);
  });

  it('accepts a provider that cannot prefetch, and one whose prefetch fails', async () => {
    const failing = { prefetch: async () => Promise.reject(new Error('not today')) };
    const url = await serve(
      use(flags({ context: byQuery, prefetch: FLAGS })),
      use(flags({ context: byQuery, prefetch: FLAGS, provider: failing })),
      route(async () => whose()),
    );
    expect(await get(`${url}/?user=user-7`)).toBe('nobody');
  });

  it.each([
    ['a missing flag', ['missing', 'whose-0']],
    ['10,000 flags', [...Array.from({ length: 9_999 }, (_value, index) => `missing-${index}`), 'whose-0']],
  ])('answers after a prefetch of %s', async (_name, prefetch) => {
    await registered();
    const url = await serve(
      use(flags({ context: byQuery, prefetch })),
      route(async () => [await whose(prefetch[0]), await whose()]),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['nobody', 'user-7']);
  });

  it('keeps view and prefetched flags inside a MultiProvider', async () => {
    const provider = flipt({ url: service.url, cache: false, watch: false });
    await OpenFeature.setProviderAndWait(new MultiProvider([{ provider }]));
    const url = await serve(
      use(flags({ context: byQuery, provider, prefetch: FLAGS })),
      route(async (req) => {
        const before = await whose('whose-0', req.flags);
        await service.setFlag('default', 'whose-0', { enabled: false });
        return [before, await whose('whose-0', req.flags), await whose('whose-1')];
      }),
    );
    const questions = questionsTo(service);
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7', 'user-7']);
    expect(questions()).toBe(1);
  });
});
