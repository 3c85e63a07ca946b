import type { EvaluationContext } from '@openfeature/server-sdk';
import { ErrorCode, FirstMatchStrategy, MultiProvider, ProviderStatus } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import { answerJson, answering, item, itemsOf, orMissing } from '../servers/scripted.fixture.js';
import { FEATURES } from './features.fixture.js';
import { flipt, localService, open, refusedAddress, register, serving } from './open.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { questionsTo } from '../servers/questions-to.fixture.js';

useTurningClock();

/** Asks for a flag whose answer is this item. */
async function asking(answer: object) {
  const server = await serving(answering(orMissing(() => answer)));
  return (await open({ url: server.url })).client;
}

const withKey = (variantKey: string, more: object = {}) => asking(item.variant('f', variantKey, more));

describe('unlike the provider there was before', () => {
  it('a default is not reported as a targeting match', async () => {
    const client = await withKey('blue', {
      match: false,
      reason: 'DEFAULT_EVALUATION_REASON',
      segmentKeys: [],
    });
    expect(await client.getStringDetails('f', '')).toMatchObject({ value: 'blue', reason: 'DEFAULT' });
  });

  it("the service's default variant is not thrown away, whatever the reason", async () => {
    for (const reason of ['DEFAULT', 'UNKNOWN', 'SOMETHING_NEW']) {
      const client = await withKey('blue', { match: false, reason: `${reason}_EVALUATION_REASON` });
      expect(await client.getStringValue('f', 'mine')).toBe('blue');
    }
  });

  it("a missing flag is FLAG_NOT_FOUND, so that a MultiProvider's first match goes on to the next", async () => {
    const service = await localService({ features: FEATURES });
    const next = await serving(answering(orMissing(({ flagKey }) => item.variant(flagKey, 'from the next'))));
    const fallback = flipt({ url: next.url });
    const multi = new MultiProvider(
      [{ provider: flipt({ url: service.url }) }, { provider: fallback }],
      new FirstMatchStrategy(),
    );
    const { client, registered } = register(multi);
    await registered;
    expect(await client.getStringValue('absent', 'mine')).toBe('from the next');
    expect(await client.getStringValue('colour', 'mine')).toBe('blue');
  });

  it('a 401 at the start is fatal, and says so in words', async () => {
    const server = await serving((_, response) => {
      answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
    });
    const { client, registered } = register(flipt({ url: server.url }));
    await expect(registered).rejects.toMatchObject({
      code: ErrorCode.PROVIDER_FATAL,
      message: expect.stringContaining('401: request was not authenticated') as unknown,
    });
    expect(client.providerStatus).toBe(ProviderStatus.FATAL);
  });

  it("a proxy's 502 in HTML is described, not shown as an unexpected token", async () => {
    const server = await serving((request, response) => {
      if (itemsOf(request)[0]?.flagKey === '') answerJson(response, { responses: [item.missing('')] });
      else response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway');
    });
    const { client } = await open({ url: server.url });
    const { errorMessage } = await client.getBooleanDetails('f', false);
    expect(errorMessage).toContain('answered 502 with text/html beginning "<html>Bad Gateway"');
    expect(errorMessage).not.toContain('Unexpected token');
  });

  it.each(['10px', '0x10', '2024-01-01', '1e400'])('%s is no number', async (key) => {
    expect(await (await withKey(key)).getNumberDetails('f', -1)).toMatchObject({
      value: -1,
      errorCode: 'TYPE_MISMATCH',
    });
  });

  it.each(['5', 'null'])('attachment %s is no object', async (variantAttachment) => {
    const client = await withKey('blue', { variantAttachment });
    expect(await client.getObjectDetails('f', { mine: true })).toMatchObject({
      value: { mine: true },
      errorCode: 'TYPE_MISMATCH',
    });
  });

  it("a match without distribution gives the caller's default, not ''", async () => {
    expect(await (await withKey('')).getStringDetails('f', 'mine')).toMatchObject({
      value: 'mine',
      reason: 'DEFAULT',
    });
  });

  it('a Date in the context matches rules about dates', async () => {
    const service = await localService({ features: FEATURES });
    const { client } = await open({ url: service.url });
    expect(await client.getStringValue('early', 'no', { since: new Date('2024-05-01') })).toBe('yes');
    expect(await client.getStringValue('early', 'no', { since: new Date('2023-05-01') })).toBe('no');
  });

  it('a nested object is sent as JSON, not as [object Object]', async () => {
    const server = await serving(answering(orMissing(({ flagKey }) => item.boolean(flagKey))));
    const { client } = await open({ url: server.url });
    await client.getBooleanValue('f', false, { user: { roles: ['a'] } });
    expect(itemsOf(server.requests[1]!)[0]?.context).toEqual({ user: '{"roles":["a"]}' });
  });

  it('a context without prototype does not throw', async () => {
    const context = Object.assign(Object.create(null) as EvaluationContext, {
      targetingKey: 'u',
      plan: 'pro',
    });
    const provider = flipt({ url: (await localService({ features: FEATURES })).url });
    expect(await provider.resolveStringEvaluation('colour', '', context)).toMatchObject({ value: 'blue' });
    await provider.onClose();
  });

  it('a dead server is not READY', async () => {
    const url = await refusedAddress();
    const { client, registered } = register(flipt({ url, initTimeoutMs: 1 }));
    await expect(registered).rejects.toMatchObject({ code: ErrorCode.GENERAL });
    expect(client.providerStatus).toBe(ProviderStatus.ERROR);
  });

  it('a silent server does not keep its callers waiting', async () => {
    const server = await serving((request, response) => {
      if (itemsOf(request)[0]?.flagKey === '') answerJson(response, { responses: [item.missing('')] });
    });
    const { client } = await open({ url: server.url, http: { timeoutMs: 50, retries: 0 } });
    expect(await client.getBooleanDetails('f', true)).toMatchObject({
      value: true,
      errorCode: 'GENERAL',
      errorMessage: expect.stringContaining('did not answer within 50 ms (http.timeoutMs)') as unknown,
    });
  });

  it('it can be closed, and then holds no connection', async () => {
    const server = await serving(answering(({ flagKey }) => item.missing(flagKey)));
    const { provider } = await open({ url: server.url, watch: false });
    expect(await server.connections()).toBe(1);
    await provider.onClose();
    await eventually(async () => {
      expect(await server.connections()).toBe(0);
    });
  });

  it('there are events, variants and metadata', async () => {
    const service = await localService({ features: FEATURES });
    const { client, provider } = await open({ url: service.url });
    expect(provider.events).toBeDefined();
    expect(await client.getStringDetails('colour', '')).toMatchObject({
      variant: 'blue',
      flagMetadata: { flagSetId: 'default', segmentKeys: 'everyone', serviceReason: 'MATCH' },
    });
  });

  it('one HTTP request answers several evaluations', async () => {
    const service = await localService({ features: FEATURES });
    const { client } = await open({ url: service.url, watch: false });
    const questions = questionsTo(service);
    for (let page = 0; page < 3; page++) {
      await Promise.all(['on', 'off', 'half'].map((flag) => client.getBooleanValue(flag, false)));
    }
    expect(questions()).toBe(1);
  });
});
