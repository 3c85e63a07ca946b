import { MultiProvider, OpenFeature } from '@openfeature/server-sdk';
import type { Request } from 'express';
import { expect, it } from 'vitest';
import { flags, type FlagsOptions } from '../../../src/adapters/express/index.js';
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

  it('prefetches what a function names for the request', async () => {
    await registered({ watch: false });
    const options: FlagsOptions = {
      context: byQuery,
      prefetch: (req) => (req.query.user === 'user-7' ? FLAGS : []),
    };
    const url = await serve(
      use(flags(options)),
      route(async (req: Request) => [await whose('whose-0', req.flags), await whose('whose-1', req.flags)]),
    );
    const questions = questionsTo(service);
    await get(`${url}/?user=user-7`);
    expect(questions()).toBe(1);
    await get(`${url}/?user=user-8`);
    expect(questions()).toBe(3);
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
      use(flags({ context: byQuery, prefetch: FLAGS })),
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
