import { ErrorCode, ProviderEvents, ProviderStatus } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { answerJson, type Script } from '../servers/scripted.fixture.js';
import { changing, good, refusing, watching } from './changing.fixture.js';
import { flipt, recordingLogger, register, serving } from './open.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';

useTurningClock(25);

describe('credentials that are refused at the start', () => {
  it.each([401, 403])('with %s are fatal at once, said once, and READY follows by itself', async (status) => {
    const { server, become } = await changing((_, response) => {
      answerJson(response, { code: 16, message: 'not you' }, status);
    });
    const logger = recordingLogger();
    const { client, registered } = register(
      flipt({ url: server.url, logger, auth: { token: 'dummy-token' } }),
    );
    const { counts, until } = watching(client);
    await expect(registered).rejects.toMatchObject({
      code: ErrorCode.PROVIDER_FATAL,
      message: expect.stringContaining('not you') as unknown,
    });
    expect(client.providerStatus).toBe(ProviderStatus.FATAL);
    expect(await client.getStringDetails('a', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: ErrorCode.PROVIDER_FATAL,
    });
    become(good);
    await until(ProviderStatus.READY);
    expect(await client.getStringValue('a', 'mine')).toBe('blue');
    expect(counts[ProviderEvents.Ready]).toBe(1);
    expect(logger.warn.mock.calls.filter(([words]) => String(words).includes('not you'))).toHaveLength(1);
    expect(JSON.stringify([logger.warn.mock.calls, logger.error.mock.calls])).not.toContain('dummy-token');
  });
});

describe('a 403 that says nothing about credentials', () => {
  const forbidden: Script = (_, response) => {
    answerJson(response, { code: 7, message: 'go away' }, 403);
  };
  const page: Script = (_, response) => {
    response
      .writeHead(403, { 'content-type': 'text/html; charset=utf-8' })
      .end('<html>Blocked by the firewall');
  };
  it.each<[string, Script, FliptProviderOptions]>([
    ['comes where none are sent', forbidden, {}],
    ['is a page of HTML', page, { auth: { token: 'dummy-token' } }],
  ])('because it %s is an outage, and not fatal', async (_, script, options) => {
    const { server, become } = await changing(script);
    const provider = flipt({ url: server.url, initTimeoutMs: 2_000, ...options });
    const { client, registered } = register(provider);
    await expect(registered).rejects.toMatchObject({ code: ErrorCode.GENERAL });
    expect(client.providerStatus).toBe(ProviderStatus.ERROR);
    expect(provider.getStatus()).toMatchObject({ problems: ['unreachable'] });
    become(good);
    await watching(client).until(ProviderStatus.READY);
    become(script);
    expect(await client.getStringDetails('b', 'mine')).toMatchObject({ errorCode: ErrorCode.GENERAL });
    expect(provider.getStatus().problems).not.toContain('credentials-rejected');
  });
});

describe('a failed start is announced', () => {
  it.each<[string, Script, ErrorCode, RegExp]>([
    ['unreachable', (_, response) => response.socket?.destroy(), ErrorCode.GENERAL, / failed: /],
    ['refused', refusing, ErrorCode.PROVIDER_FATAL, /answered 401/],
  ])('%s: by one event of the provider before it rejects', async (_, script, errorCode, words) => {
    const server = await serving(script);
    // Many turns of the clock, so that the time passes only after an answer.
    const provider = flipt({ url: server.url, initTimeoutMs: 2_000, http: { timeoutMs: 5_000 } });
    const heard = vi.fn();
    provider.events.addHandler(ProviderEvents.Error, heard);
    await expect(provider.initialize()).rejects.toMatchObject({
      code: errorCode,
      message: expect.stringMatching(words) as unknown,
    });
    expect(heard).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ errorCode }));
    await provider.onClose();
  });
});

it('a start that fails again, with a snapshot to evaluate from, is STALE with its own failure', async () => {
  const failing =
    (status: number): Script =>
    (_, response) => {
      answerJson(response, { code: 2, message: 'down' }, status);
    };
  const { server, become } = await changing(failing(500));
  const provider = flipt({ url: server.url, watch: false, snapshot: { initial: { flags: [] } } });
  const announced = () =>
    new Promise((resolve) => {
      provider.events.addHandler(ProviderEvents.Stale, (details) => {
        resolve(details?.message);
      });
    });
  for (const status of [500, 501]) {
    become(failing(status));
    const message = announced();
    await provider.initialize();
    expect(await message).toContain(`answered ${status}`);
  }
  await provider.onClose();
});
