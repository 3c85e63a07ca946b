import { EventEmitter } from 'node:events';
import {
  AsyncLocalStorageTransactionContextPropagator,
  NOOP_TRANSACTION_CONTEXT_PROPAGATOR,
  OpenFeature,
  type EvaluationContext,
  type JsonValue,
} from '@openfeature/server-sdk';
import type { RequestHandler } from 'express';
import session from 'express-session';
import { expect, it, onTestFinished, vi } from 'vitest';
import { flags, setRequestContext } from '../../../src/adapters/express/index.js';
import { get } from '../../traffic/listening.fixture.js';
import { byQuery, describeEachExpress, registered, route, use, user, whose } from './app.fixture.js';

/** A propagator of the app's own, for one test. */
function installed(): AsyncLocalStorageTransactionContextPropagator {
  const propagator = new AsyncLocalStorageTransactionContextPropagator();
  OpenFeature.setTransactionContextPropagator(propagator);
  onTestFinished(() => {
    OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
  });
  return propagator;
}

describeEachExpress((serve, express) => {
  it("gives every client the request's context", async () => {
    await registered();
    const url = await serve(
      use(flags({ context: byQuery })),
      route(async (req) => [await whose(), await whose('whose-1', req.flags)]),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7']);
    expect(await get(`${url}/?user=user-8`)).toEqual(['user-8', 'user-8']);
  });

  it('waits for a context that is a promise', async () => {
    await registered();
    const url = await serve(
      use(flags({ context: async (req) => Promise.resolve(byQuery(req)) })),
      route(async () => whose()),
    );
    expect(await get(`${url}/?user=user-7`)).toBe('user-7');
  });

  it('takes a context without a targetingKey', async () => {
    await registered();
    const url = await serve(
      use(flags({ context: (req) => ({ user: user(req) }) })),
      route(async () => [await whose(), await whose('whose-attribute')]),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['nobody', 'user-7']);
  });

  it('merges over the existing transaction context, and a call over both', async () => {
    await registered();
    const seen: EvaluationContext[] = [];
    installed();
    const url = await serve(
      use((req, res, next) => {
        OpenFeature.setTransactionContext({ user: 'user-1', tenant: 'blue', targetingKey: 'x' }, () => {
          next();
        });
      }),
      use(flags({ context: byQuery })),
      route(async (req) => {
        seen.push(OpenFeature.getTransactionContext(), req.flags.getContext());
        return [
          await whose(),
          await whose('whose-attribute'),
          await req.flags.getStringValue('whose-0', 'nobody', { targetingKey: 'user-3' }),
        ];
      }),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-1', 'user-3']);
    for (const context of seen) {
      expect(context).toMatchObject({ user: 'user-1', tenant: 'blue', targetingKey: 'user-7' });
    }
  });

  it('keeps an existing propagator', async () => {
    await registered();
    const used = vi.spyOn(installed(), 'getTransactionContext');
    const url = await serve(
      use(flags({ context: byQuery })),
      route(async () => whose()),
    );
    await get(`${url}/?user=user-7`);
    const before = used.mock.calls.length;
    OpenFeature.getTransactionContext();
    expect(used.mock.calls.length).toBe(before + 1);
  });

  it('takes later additions to the context of a request, for all clients', async () => {
    await registered();
    const url = await serve(
      use(flags({ context: byQuery })),
      route(async (req) => {
        const before = [await whose(), await whose('whose-attribute', req.flags)];
        setRequestContext({ user: 'user-5' });
        const after = [await whose('whose-attribute'), await whose('whose-attribute', req.flags)];
        setRequestContext({ targetingKey: 'user-6' });
        return [...before, ...after, await whose(), await whose('whose-0', req.flags)];
      }),
    );
    const answers = (user: string) => [user, 'nobody', 'user-5', 'user-5', 'user-6', 'user-6'];
    expect(await get(`${url}/?user=user-7`)).toEqual(answers('user-7'));
    expect(await get(`${url}/?user=user-8`)).toEqual(answers('user-8'));
  });

  it('gives nothing of one request to the next on the same connection', async () => {
    await registered();
    const url = await serve(
      (app) => void app.use('/user', flags({ context: byQuery })),
      (app) =>
        void app.get('/nobody', (_req, res, next) => {
          whose().then((answer) => res.json(answer), next);
        }),
      (app) =>
        void app.get('/user', (_req, res, next) => {
          whose().then((answer) => res.json(answer), next);
        }),
    );
    expect(await get(`${url}/user?user=user-7`)).toBe('user-7');
    expect(await get(`${url}/nobody`)).toBe('nobody');
    expect(await get(`${url}/user?user=user-8`)).toBe('user-8');
  });

  it.each(['before', 'behind'])('keeps the context across body parsers and sessions %s it', async (place) => {
    await registered();
    const others = [
      express.json(),
      express.urlencoded({ extended: false }),
      express.text(),
      session({ secret: 'no secret', resave: false, saveUninitialized: true }),
      ((_req, _res, next) => setImmediate(next)) satisfies RequestHandler,
    ].map(use);
    const ours = use(flags({ context: byQuery, prefetch: ['whose-0'] }));
    const url = await serve(
      ...(place === 'before' ? [...others, ours] : [ours, ...others]),
      route(async (req) => [await whose(), await whose('whose-1', req.flags), req.body as JsonValue]),
    );
    const bodies = [
      ['application/json', JSON.stringify({ a: 'b'.repeat(100_000) }), { a: 'b'.repeat(100_000) }],
      ['application/x-www-form-urlencoded', 'a=b', { a: 'b' }],
      ['text/plain', 'text', 'text'],
    ] as const;
    for (const [type, body, read] of bodies) {
      const init = { method: 'POST', headers: { 'content-type': type }, body };
      expect(await get(`${url}/?user=user-7`, init)).toEqual(['user-7', 'user-7', read]);
    }
  });

  it('knows the request by req.flags in callbacks of streams and emitters that others have opened', async () => {
    await registered();
    const elsewhere = new EventEmitter();
    const url = await serve(use(flags({ context: byQuery })), (app) => {
      app.post('/', (req, res, next) => {
        const asked: Promise<string>[] = [];
        req.once('data', () => asked.push(whose('whose-0', req.flags)));
        req.once('end', () => {
          elsewhere.once('event', () => {
            asked.push(whose('whose-1', req.flags));
            Promise.all(asked).then((answers) => res.json(answers), next);
          });
          setImmediate(() => elsewhere.emit('event'));
        });
      });
    });
    const ask = (name: string) => get(`${url}/?user=${name}`, { method: 'POST', body: 'body' });
    expect(await ask('user-7')).toEqual(['user-7', 'user-7']);
    expect(await ask('user-8')).toEqual(['user-8', 'user-8']);
  });
});

it('setRequestContext reports a missing request and a wrong argument', () => {
  expect(() => {
    setRequestContext({ plan: 'pro' });
  }).toThrow('setRequestContext: this code does not run in a request');
  expect(() => {
    setRequestContext('pro' as never);
  }).toThrow(
    new TypeError('setRequestContext: expected an object such as { targetingKey: … }, got a string'),
  );
});
