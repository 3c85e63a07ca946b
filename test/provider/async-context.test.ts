import { AsyncLocalStorage } from 'node:async_hooks';
import { ProviderEvents } from '@openfeature/server-sdk';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { changing, good } from './changing.fixture.js';
import { eventually, PATIENT } from '../eventually.fixture.js';

/** The user of the current request, as an app keeps it. */
const user = new AsyncLocalStorage<string>();

it.each<[string, (open: () => FliptProvider) => FliptProvider]>([
  ['created at the start of the app', (open) => open()],
  ['created lazily, within a request', (open) => user.run('alice', open)],
])('a provider %s calls user code in no request’s context', async (_, create) => {
  const { server, become } = await changing(good);
  const seen: [string, string | undefined][] = [];
  const note = (where: string) => {
    seen.push([where, user.getStore()]);
  };
  const pool = new Pool(server.url);
  const options: FliptProviderOptions = {
    url: server.url,
    initTimeoutMs: 1,
    deadlineMs: PATIENT.deadlineMs,
    cache: false,
    breaker: { failures: 1, openForMs: 1 },
    logger: {
      error: () => undefined,
      warn: () => {
        note('logger');
      },
      info: () => undefined,
      debug: () => undefined,
    },
    auth: {
      headers: () => {
        note('headers');
        return {};
      },
    },
    http: {
      ...PATIENT.http,
      retries: 0,
      dispatcher: {
        request: async (request) => {
          note('dispatcher');
          return pool.request(request);
        },
      },
    },
  };
  const provider = create(() => new FliptProvider(options));
  for (const event of [ProviderEvents.Error, ProviderEvents.Ready]) {
    provider.events.addHandler(event, () => {
      note('handler');
    });
  }
  become((__, response) => response.writeHead(503).end());
  await user.run('bob', () => provider.resolveBooleanEvaluation('a', false, {}));
  await eventually(() => {
    expect(seen.filter(([where]) => where === 'handler')).toHaveLength(1);
  });
  become(good);
  await eventually(() => {
    expect(seen.filter(([where]) => where === 'handler')).toHaveLength(2);
  });
  await user.run('carol', () => provider.resolveBooleanEvaluation('b', false, {}));
  await provider.onClose();
  await pool.close();
  expect([...new Set(seen.map(([where]) => where))].sort()).toEqual([
    'dispatcher',
    'handler',
    'headers',
    'logger',
  ]);
  expect(seen.filter(([, who]) => who !== undefined)).toEqual([]);
});
