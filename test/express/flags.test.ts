import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import {
  AsyncLocalStorageTransactionContextPropagator,
  MultiProvider,
  NOOP_TRANSACTION_CONTEXT_PROPAGATOR,
  OpenFeature,
  type EvaluationContext,
  type JsonValue,
} from '@openfeature/server-sdk';
import express5, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import express4 from 'express4';
import session from 'express-session';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { flags, type FlagsOptions } from '../../src/express/index.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { crowd } from '../traffic/crowd.js';
import { get, listening, type Listening } from '../traffic/listening.js';
import { USERS, whoseFeatures } from '../traffic/whose.js';

const FLAGS = Array.from({ length: 10 }, (_, index) => `whose-${index}`);
const user = (req: Request): string => (typeof req.query.user === 'string' ? req.query.user : '');
const byQuery = (req: Request): EvaluationContext => ({ targetingKey: user(req) });

let service: LocalService;
let open: Listening[];

beforeEach(async () => {
  service = await startLocalService({ features: whoseFeatures(USERS, FLAGS.length) });
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((server) => server.close()));
  await OpenFeature.clearProviders();
  OpenFeature.setContext({});
  OpenFeature.setTransactionContextPropagator(NOOP_TRANSACTION_CONTEXT_PROPAGATOR);
  await service.close();
});

async function registered(options: FliptProviderOptions = {}, domain?: string): Promise<FliptProvider> {
  const provider = new FliptProvider({ url: service.url, ...options });
  await (domain === undefined
    ? OpenFeature.setProviderAndWait(provider)
    : OpenFeature.setProviderAndWait(domain, provider));
  return provider;
}

const versions = [
  ['Express 4', express4],
  ['Express 5', express5],
] as const;

describe.each(versions)('%s', (_, express) => {
  /** An app of these parts, listening. What goes wrong in it is told as the status 500 and a message. */
  const serve = async (...parts: ((app: Express) => void)[]): Promise<string> => {
    const app = express();
    for (const part of parts) part(app);
    // Express tells an error handler by its four parameters.
    const onError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
      if (res.headersSent) next(error);
      else res.status(500).json({ error: error instanceof Error ? error.message : error });
    };
    app.use(onError);
    const server = await listening(app);
    open.push(server);
    return server.url;
  };
  const use = (handler: RequestHandler) => (app: Express) => void app.use(handler);
  const route = (answer: (req: Request) => Promise<JsonValue>) => (app: Express) =>
    void app.all('/', (req, res, next) => {
      answer(req).then((body) => res.json(body), next);
    });
  const whose = async (flag = 'whose-0', client = OpenFeature.getClient()): Promise<string> =>
    client.getStringValue(flag, 'nobody');

  it("has every client know the request's context", async () => {
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

  it('answers a handler that reads ten flags one after another for a new user with one request', async () => {
    await registered();
    OpenFeature.setContext({ region: 'eu' });
    const read = async (req: Request) => {
      const answers: string[] = [];
      for (const flag of FLAGS) answers.push(await whose(flag, req.flags));
      return answers;
    };
    const url = await serve(use(flags({ context: byQuery, prefetch: FLAGS })), route(read));
    const before = service.requests;
    expect(await get(`${url}/?user=user-7`)).toEqual(FLAGS.map(() => 'user-7'));
    expect(service.requests - before).toBe(1);
  });

  it('prefetches what a function names for the request, from the provider it is given', async () => {
    const provider = new FliptProvider({ url: service.url });
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

  it('leaves a provider alone that cannot prefetch, and one whose prefetch fails', async () => {
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
  ])('answers behind a prefetch of %s', async (_name, prefetch) => {
    await registered({ deadlineMs: 15_000, http: { timeoutMs: 15_000 } });
    const url = await serve(
      use(flags({ context: byQuery, prefetch })),
      route(async () => [await whose(prefetch[0]), await whose()]),
    );
    expect(await get(`${url}/?user=user-7`)).toEqual(['nobody', 'user-7']);
  });

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

  it('keeps view and prefetched flags inside a MultiProvider', async () => {
    const provider = new FliptProvider({ url: service.url, cache: false });
    await OpenFeature.setProviderAndWait(new MultiProvider([{ provider }]));
    const url = await serve(
      use(flags({ context: byQuery, provider, prefetch: FLAGS })),
      route(async (req) => {
        const before = await whose('whose-0', req.flags);
        await service.setFlag('default', 'whose-0', { enabled: false });
        return [before, await whose('whose-0', req.flags), await whose('whose-1')];
      }),
    );
    const before = service.requests;
    expect(await get(`${url}/?user=user-7`)).toEqual(['user-7', 'user-7', 'user-7']);
    expect(service.requests - before).toBe(1);
  });

  it('merges over the transaction context that is there, and a call over both', async () => {
    await registered();
    const seen: EvaluationContext[] = [];
    OpenFeature.setTransactionContextPropagator(new AsyncLocalStorageTransactionContextPropagator());
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

  it('leaves a propagator alone that is there', async () => {
    await registered();
    const propagator = new AsyncLocalStorageTransactionContextPropagator();
    const used = vi.spyOn(propagator, 'getTransactionContext');
    OpenFeature.setTransactionContextPropagator(propagator);
    const url = await serve(
      use(flags({ context: byQuery })),
      route(async () => whose()),
    );
    await get(`${url}/?user=user-7`);
    const before = used.mock.calls.length;
    OpenFeature.getTransactionContext();
    expect(used.mock.calls.length).toBe(before + 1);
  });

  it('gives nothing of one request to the next on the same connection', async () => {
    await registered();
    const url = await serve(
      (app) => void app.use('/user', flags({ context: byQuery })),
      (app) =>
        void app.get('/nobody', (_req, res, next) => {
          whose().then((told) => res.json(told), next);
        }),
      (app) =>
        void app.get('/user', (_req, res, next) => {
          whose().then((told) => res.json(told), next);
        }),
    );
    expect(await get(`${url}/user?user=user-7`)).toBe('user-7');
    expect(await get(`${url}/nobody`)).toBe('nobody');
    expect(await get(`${url}/user?user=user-8`)).toBe('user-8');
  });

  it.each<[string, FlagsOptions['context'], unknown]>([
    [
      'throws',
      () => {
        throw new Error('no session');
      },
      'no session',
    ],
    ['rejects', async () => Promise.reject(new Error('no session')), 'no session'],
    // Express would take the one for no error, and the other for a word to its router.
    ['rejects with nothing', async () => throwing(undefined), 'flags: context failed: undefined'],
    ['throws a word', () => throwing('route'), 'flags: context failed: route'],
    [
      'never settles',
      async () => new Promise(() => undefined),
      'flags: context has not settled within 20 ms (contextTimeoutMs)',
    ],
    [
      'gives a text',
      () => 'user-7' as never,
      'context: expected an object such as { targetingKey: … }, got string',
    ],
    ['gives null', () => null as never, 'context: expected an object such as { targetingKey: … }, got null'],
    [
      'gives a list',
      async () => Promise.resolve([] as never),
      'context: expected an object such as { targetingKey: … }, got an array',
    ],
  ])('hands a context function that %s to the error handling', async (_name, context, error) => {
    await registered();
    const url = await serve(
      use(flags({ context, contextTimeoutMs: 20 })),
      route(async () => Promise.resolve('not reached')),
    );
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { error }]);
  });

  it.each<[string, NonNullable<FlagsOptions['prefetch']>, string]>([
    ['throws', () => throwing(new Error('which?')), 'which?'],
    ['gives no list', () => 'whose-0' as never, 'prefetch: expected a list of flag keys'],
    ['gives a list of other things', () => [7] as never, 'prefetch: expected a list of flag keys'],
  ])('hands a prefetch function that %s to the error handling', async (_name, prefetch, error) => {
    const url = await serve(use(flags({ context: byQuery, prefetch })));
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([500, { error }]);
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
        const told: Promise<string>[] = [];
        req.once('data', () => told.push(whose('whose-0', req.flags)));
        req.once('end', () => {
          elsewhere.once('event', () => {
            told.push(whose('whose-1', req.flags));
            Promise.all(told).then((answers) => res.json(answers), next);
          });
          setImmediate(() => elsewhere.emit('event'));
        });
      });
    });
    const ask = (name: string) => get(`${url}/?user=${name}`, { method: 'POST', body: 'body' });
    expect(await ask('user-7')).toEqual(['user-7', 'user-7']);
    expect(await ask('user-8')).toEqual(['user-8', 'user-8']);
  });

  it('is over its view when the client goes away in mid-request, and still answers', async () => {
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
    expect(await answers).toEqual([['user-7', 'nobody']]);
  });

  it('answers with defaults once the provider is closed, under traffic', async () => {
    await registered();
    const url = await serve(
      use(flags({ context: byQuery, prefetch: FLAGS })),
      route(async (req) => whose('whose-0', req.flags)),
    );
    const ask = async (name: string) => get(`${url}/?user=${name}`);
    const during = USERS.map(async (name, index) => {
      if (index === 100) await OpenFeature.close();
      return [name, await ask(name)];
    });
    for (const [name, told] of await Promise.all(during)) expect([name, 'nobody']).toContain(told);
    expect(await ask('user-7')).toBe('nobody');
  });

  it('delays nobody for a service that does not answer', async () => {
    const silent = await listening(() => undefined);
    open.push(silent);
    const provider = new FliptProvider({ url: silent.url, initTimeoutMs: 1, deadlineMs: 50 });
    await OpenFeature.setProviderAndWait(provider).catch(() => undefined);
    const url = await serve(
      use(flags({ context: byQuery, prefetch: FLAGS })),
      (app) => void app.get('/none', (_req, res) => void res.json('no flags here')),
      route(async (req) => whose('whose-0', req.flags)),
    );
    expect(await get(`${url}/none?user=user-7`)).toBe('no flags here');
    expect(await get(`${url}/?user=user-7`)).toBe('nobody');
  });

  it('keeps two apps with different domains apart', async () => {
    await using other = await startLocalService({ features: whoseFeatures(['user-8'], 1) });
    await registered({}, 'one');
    await registered({ url: other.url }, 'two');
    const read = route(async (req) => [req.flags.metadata.domain ?? '', await whose('whose-0', req.flags)]);
    const one = await serve(use(flags({ context: byQuery, domain: 'one', prefetch: ['whose-0'] })), read);
    const two = await serve(use(flags({ context: byQuery, domain: 'two', prefetch: ['whose-0'] })), read);
    const asked = USERS.slice(0, 20).map(async (name) => {
      expect(await get(`${one}/?user=${name}`)).toEqual(['one', name]);
      expect(await get(`${two}/?user=${name}`)).toEqual(['two', name === 'user-8' ? name : 'nobody']);
    });
    await Promise.all(asked);
  });

  it("never tells 200 users at once another's flags", { timeout: 60_000 }, async () => {
    await registered({ cache: { freshForMs: 50, staleForMs: 50 }, deadlineMs: 15_000 });
    const url = await serve(
      use(express.json()),
      use(flags({ context: (req) => ({ ...byQuery(req), user: user(req) }), prefetch: FLAGS.slice(0, 3) })),
      route(async (req) => {
        const early = whose('whose-5', req.flags);
        const told = [await whose(), await whose('whose-1', req.flags), await whose('whose-attribute')];
        await new Promise(setImmediate);
        return [...told, await whose('whose-4'), await early];
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

function throwing(thrown: unknown): never {
  throw thrown as Error;
}
