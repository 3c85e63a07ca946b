/* Steps that need nothing but a service at an address: they run in each runtime. */
import { strict as assert } from 'node:assert';
import { OpenFeature } from '@openfeature/server-sdk';
import * as entry from 'openfeature-flipt-provider';
import { FliptClient } from 'openfeature-flipt-provider/client';
import { ofrep } from 'openfeature-flipt-provider/ofrep';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';
import { details, PRO, set, until, withProvider, withStarted } from './checks.mjs';
import { recordedBy } from './recording-meter.mjs';

/** Each gets the address of a service, and the options of its mode. */
export const resolves = {
  'a boolean': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveBooleanEvaluation('on', false, PRO), { value: true }),
    ),
  'a string': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveStringEvaluation('banner', 'none', PRO), {
        value: 'red',
        reason: 'TARGETING_MATCH',
      }),
    ),
  'a number': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveNumberEvaluation('limit', 1, PRO), { value: 42 }),
    ),
  'an object': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveObjectEvaluation('banner', {}, PRO), { value: { size: 12 } }),
    ),
  'a missing flag': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveBooleanEvaluation('none', true, PRO), {
        value: true,
        errorCode: 'FLAG_NOT_FOUND',
      }),
    ),
  'a value of another type': ({ url, mode }) =>
    withStarted({ url, ...mode }, (provider) =>
      details(provider.resolveNumberEvaluation('on', 7, PRO), { value: 7, errorCode: 'TYPE_MISMATCH' }),
    ),
  evaluateAll: ({ url, mode }) =>
    withStarted({ url, ...mode }, async (provider) => {
      const flags = await provider.evaluateAll(PRO, ['on', 'banner', 'none']);
      assert.deepEqual([flags.on.value, flags.banner.value, 'none' in flags], [true, 'red', false]);
    }),
  explain: ({ url, mode }) =>
    withStarted({ url, ...mode }, async (provider) => {
      const { answer } = await provider.explain('banner', PRO);
      assert.equal(answer.variant, 'red');
    }),
  'an answer for 100 callers at once': ({ url, mode }) =>
    withStarted({ url, ...mode }, async (provider) => {
      const users = Array.from({ length: 100 }, (_, at) => ({ targetingKey: `user-${at}`, plan: 'pro' }));
      const all = await Promise.all(
        users.map((user) => provider.resolveStringEvaluation('banner', 'none', user)),
      );
      assert.deepEqual(
        all.filter(({ value }) => value !== 'red'),
        [],
      );
    }),
};

export const steps = {
  'a client of OpenFeature': async ({ url }) => {
    const provider = new entry.FliptProvider({ url, deadlineMs: 15_000, http: { timeoutMs: 15_000 } });
    await OpenFeature.setProviderAndWait(provider);
    assert.equal(await OpenFeature.getClient().getStringValue('banner', 'none', PRO), 'red');
    await OpenFeature.close();
  },
  'a cached answer': ({ url }) =>
    withStarted({ url }, async (provider) => {
      await provider.resolveBooleanEvaluation('on', false, PRO);
      await details(provider.resolveBooleanEvaluation('on', false, PRO), { value: true, reason: 'CACHED' });
    }),
  'a batch': ({ url }) =>
    withStarted({ url, watch: false }, async (provider) => {
      const before = provider.getStatus().requests.sent;
      await provider.prefetch(['on', 'off', 'banner', 'limit'], PRO);
      assert.equal(provider.getStatus().requests.sent - before, 1);
    }),
  "a request's view": ({ url }) =>
    withStarted({ url, cache: false, watch: false }, async (provider) => {
      const context = { [entry.REQUEST_VIEW]: entry.openRequestView() };
      await set(url, 'switched', false);
      await provider.resolveBooleanEvaluation('switched', true, context);
      await set(url, 'switched', true);
      await details(provider.resolveBooleanEvaluation('switched', true, context), { value: false });
      await details(provider.resolveBooleanEvaluation('switched', false, {}), { value: true });
    }),
  'invalidate, and the event of a change': ({ url }) =>
    withStarted({ url, evaluation: 'in-process' }, async (provider) => {
      const changed = new Promise((resolve) => {
        provider.events.addHandler('PROVIDER_CONFIGURATION_CHANGED', ({ flagsChanged }) => {
          resolve(flagsChanged);
        });
      });
      await set(url, 'switched', !(await provider.resolveBooleanEvaluation('switched', false, {})).value);
      provider.invalidate();
      assert.deepEqual(await changed, ['switched']);
    }),
  'a change that the watch sees': ({ url }) =>
    withStarted({ url, watch: { pollMs: 200 } }, async (provider) => {
      await until(() => provider.getStatus().watch.condition === 'working');
      await set(url, 'switched', true);
      await until(async () => (await provider.resolveBooleanEvaluation('switched', false, {})).value);
      await set(url, 'switched', false);
      await until(async () => !(await provider.resolveBooleanEvaluation('switched', true, {})).value);
    }),
  'getStatus and onEvent': ({ url }) =>
    withStarted({ url }, async (provider) => {
      const seen = [];
      provider.onEvent(({ type }) => seen.push(type), ['resolved']);
      await provider.resolveBooleanEvaluation('on', false, {});
      assert.deepEqual([provider.getStatus().condition, seen], ['ready', ['resolved']]);
    }),
  isFliptProvider: ({ url }) =>
    withProvider({ url }, (provider) => {
      assert.ok(entry.isFliptProvider(provider) && !entry.isFliptProvider({}));
    }),
  'credentials of a function': ({ url }) =>
    withStarted({ url, auth: { headers: async () => ({ authorization: 'Bearer x' }) } }, (provider) =>
      details(provider.resolveBooleanEvaluation('on', false, {}), { value: true }),
    ),
  'no Flipt at the start': () =>
    withProvider({ url: 'http://127.0.0.1:9', initTimeoutMs: 300 }, async (provider) => {
      await assert.rejects(provider.initialize(), { code: 'GENERAL' });
      await details(provider.resolveBooleanEvaluation('on', true, {}), { value: true, errorCode: 'GENERAL' });
    }),
  'a snapshot to start from, offline': ({ url }) =>
    withStarted({ url, evaluation: 'in-process' }, async (online) => {
      const snapshot = { initial: await online.getSnapshot() };
      return withStarted({ evaluation: 'in-process', watch: false, snapshot }, (offline) =>
        details(offline.resolveStringEvaluation('banner', 'none', PRO), { value: 'red' }),
      );
    }),
  'a store of your own': async ({ url }) => {
    let kept;
    const store = {
      load: () => Promise.resolve(kept),
      save: (text) => Promise.resolve(void (kept = text)),
    };
    const options = { url, evaluation: 'in-process', snapshot: { store } };
    await withStarted(options, () => undefined);
    const dead = { dispatcher: { request: () => Promise.reject(new Error('down')) } };
    await withStarted({ ...options, http: dead }, (provider) =>
      details(provider.resolveStringEvaluation('banner', 'none', PRO), { value: 'red', reason: 'STALE' }),
    );
  },
  'the typed client': async ({ url }) => {
    const client = new FliptClient({ url, http: { timeoutMs: 15_000 } });
    const { segments } = await client.segments.list('default');
    assert.deepEqual(segments.map(({ key }) => key).sort(), ['everybody', 'pro']);
    await client.close();
  },
  'dots that would lead to another path': async ({ url }) => {
    const client = new FliptClient({ url });
    const asks = [
      () => client.variants.update('default', 'banner', '..', { key: 'a' }),
      () => client.segments.list('..'),
      () => client.segments.get('default', 'a/../b'),
    ];
    for (const ask of asks) await assert.rejects(ask(), TypeError);
    for (const option of ['namespace', 'environment']) {
      assert.throws(() => new entry.FliptProvider({ url, [option]: '..' }), TypeError);
    }
    await client.close();
  },
  'ofrep for Request and Response': ({ url }) =>
    withStarted({ url }, async (provider) => {
      const handle = ofrep({ context: () => PRO, flags: ['on', 'banner'], provider });
      const request = new Request('http://app.test/ofrep/v1/evaluate/flags/banner', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      const response = await handle(request);
      assert.deepEqual([response.status, (await response.json()).value], [200, 'red']);
    }),
  metrics: ({ url }) =>
    withProvider({ url }, async (provider) => {
      const recorded = await recordedBy(observeProvider, provider);
      assert.ok(recorded.length > 0);
    }),
  'a close, and another start': ({ url }) =>
    withStarted({ url }, async (provider) => {
      await provider.onClose();
      await details(provider.resolveBooleanEvaluation('on', true, {}), { errorCode: 'PROVIDER_NOT_READY' });
      await provider.initialize();
      await details(provider.resolveBooleanEvaluation('on', false, {}), { value: true });
    }),
};
