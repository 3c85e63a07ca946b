import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions, HttpDispatcherResponse, SnapshotStore } from '../../src/index.js';
import { ofrep } from '../../src/adapters/ofrep/index.js';
import { FEATURES } from '../in-process/features.fixture.js';
import { flipt, localService } from '../provider/open.fixture.js';
import { useUnhandledRejections } from '../unhandled-rejections.fixture.js';

const unhandledRejections = useUnhandledRejections();

/** In place of any function of the user's. */
const rejecting = () => Promise.reject(new Error('of the user')) as never;
const USER = { targetingKey: 'user-1' };

/** A provider that runs once through all that it does. */
async function used(options: FliptProviderOptions) {
  const { url } = await localService({ features: FEATURES });
  const provider = flipt({ url, initTimeoutMs: 300, ...options });
  provider.onEvent(rejecting);
  await provider.initialize().catch(() => undefined);
  const logger = { error: rejecting, warn: rejecting, info: rejecting, debug: rejecting };
  const details = [
    await provider.resolveBooleanEvaluation('banner', false, USER, logger),
    await provider.resolveStringEvaluation('banner', 'none', USER, logger),
  ];
  provider.track('bought', USER, {});
  await provider.refresh();
  await provider.prefetch(['colour'], USER);
  await provider.evaluateEach(USER, rejecting).catch(() => undefined);
  const handle = ofrep({ context: () => USER, flags: rejecting, values: rejecting, provider });
  const body = JSON.stringify({ context: {} });
  const request = new Request('http://app/ofrep/v1/evaluate/flags', { method: 'POST', body });
  await handle(request).catch(() => undefined);
  await ofrep({ context: rejecting, flags: [], provider })(request).catch(() => undefined);
  await provider.onClose();
  return details;
}

const rejectingStore: SnapshotStore = { load: rejecting, save: rejecting };
const SHARED = { claim: rejecting, announce: rejecting, look: rejecting };
const brokenBody = (): Promise<HttpDispatcherResponse> =>
  Promise.resolve({
    statusCode: 200,
    headers: {},
    body: { [Symbol.asyncIterator]: () => ({ next: rejecting, return: rejecting }) },
  });

describe("a user's functions that return promises, all of which reject", () => {
  it.each<[string, FliptProviderOptions]>([
    ['the store', { snapshot: { store: rejectingStore } }],
    ['the store, in-process', { snapshot: { store: rejectingStore }, evaluation: 'in-process' }],
    ['an async shared', { snapshot: { store: { ...rejectingStore, shared: rejecting } } }],
    ['a shared store', { snapshot: { store: { ...rejectingStore, shared: () => SHARED } } }],
    ['the logger', { logger: { error: rejecting, warn: rejecting, info: rejecting, debug: rejecting } }],
    ['auth.headers', { auth: { headers: rejecting } }],
    ['the dispatcher', { http: { dispatcher: { request: rejecting } } }],
    ['the body of the dispatcher', { http: { dispatcher: { request: brokenBody } } }],
    ['tracking', { tracking: { send: rejecting } }],
    ['an async choice of tracking', { tracking: { send: rejecting, flags: rejecting } }],
    ['an async user of tracking', { tracking: { send: rejecting, user: rejecting } }],
    ['nothing but listeners', {}],
  ])('%s: no resolve rejects, and nothing stays unhandled', async (_, options) => {
    const [banner] = await used(options);
    const isAsked = options.auth === undefined && options.http === undefined;
    expect(banner).toMatchObject(isAsked ? { value: true } : { value: false, errorCode: 'GENERAL' });
    expect(await unhandledRejections()).toEqual([]);
  });
});
