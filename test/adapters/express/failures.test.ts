import { OpenFeature } from '@openfeature/server-sdk';
import type { ErrorRequestHandler } from 'express';
import { expect, it } from 'vitest';
import { flags, type FlagsOptions } from '../../../src/adapters/express/index.js';
import { flipt } from '../../provider/open.fixture.js';
import { get, listening } from '../../traffic/listening.fixture.js';
import { USERS } from '../../traffic/whose.fixture.js';
import {
  byQuery,
  describeEachExpress,
  FLAGS,
  open,
  registered,
  route,
  addressForAll,
  use,
  whose,
} from './app.fixture.js';

const LIST = 'prefetch: expected a list of flag keys, got ';

describeEachExpress((serve) => {
  it.each<[string, FlagsOptions['context'], unknown]>([
    [
      'throws',
      () => {
        throw new Error('no session');
      },
      'no session',
    ],
    ['rejects', async () => Promise.reject(new Error('no session')), 'no session'],
    [
      'gives a text',
      () => 'user-7' as never,
      'flags: context: expected an object such as { targetingKey: … }, got a string',
    ],
    [
      'gives null',
      () => null as never,
      'flags: context: expected an object such as { targetingKey: … }, got null',
    ],
    [
      'gives a list',
      async () => Promise.resolve([] as never),
      'flags: context: expected an object such as { targetingKey: … }, got a list',
    ],
  ])('passes a context function that %s to the error handling', async (_name, context, error) => {
    await registered();
    const url = await serve(
      use(flags({ context })),
      route(async () => Promise.resolve('not reached')),
    );
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { error }]);
  });

  it.each<[string, NonNullable<FlagsOptions['prefetch']>, string]>([
    ['throws', () => throwing(new Error('which?')), 'which?'],
    ['gives no list', () => 'whose-0' as never, `${LIST}a string`],
    ['gives a list of other things', () => [7] as never, `${LIST}a list of other things`],
    ['is async and rejects', () => Promise.reject(new Error('which?')) as never, `${LIST}a promise`],
  ])('passes a prefetch function that %s to the error handling', async (_name, prefetch, error) => {
    const url = await serve(use(flags({ context: byQuery, prefetch })));
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { error }]);
  });

  it('lets an error page resolve flags when the context function fails', async () => {
    await registered();
    OpenFeature.setContext({ targetingKey: 'user-7' });
    const errorPage: ErrorRequestHandler = (_error: unknown, req, res, next) => {
      const asked = Promise.resolve().then(() => req.flags.getStringValue('whose-0', 'nobody'));
      Promise.all([asked, whose('whose-1')]).then((answers) => res.json(answers), next);
    };
    const url = await serve(
      use(flags({ context: () => throwing(new Error('no session')) })),
      (app) => void app.use(errorPage),
    );
    expect(await get(url)).toEqual(['user-7', 'user-7']);
  });

  it('answers with defaults once the provider is closed, under traffic', async () => {
    await registered({ url: await addressForAll() });
    const url = await serve(
      use(flags({ context: byQuery, prefetch: FLAGS })),
      route(async (req) => whose('whose-0', req.flags)),
    );
    const ask = async (name: string) => get(`${url}/?user=${name}`);
    const during = USERS.map(async (name, index) => {
      if (index === USERS.length / 2) await OpenFeature.close();
      return [name, await ask(name)];
    });
    for (const [name, answer] of await Promise.all(during)) expect([name, 'nobody']).toContain(answer);
    expect(await ask('user-7')).toBe('nobody');
  });

  it('delays no request if the service does not answer', async () => {
    const silent = await listening(() => undefined);
    open.push(silent);
    const provider = flipt({ url: silent.url, initTimeoutMs: 1, deadlineMs: 50 });
    await OpenFeature.setProviderAndWait(provider).catch(() => undefined);
    const url = await serve(
      use(flags({ context: byQuery, prefetch: FLAGS })),
      (app) => void app.get('/none', (_req, res) => void res.json('no flags here')),
      route(async (req) => whose('whose-0', req.flags)),
    );
    expect(await get(`${url}/none?user=user-7`)).toBe('no flags here');
    expect(await get(`${url}/?user=user-7`)).toBe('nobody');
  });
});

function throwing(thrown: unknown): never {
  throw thrown as Error;
}
