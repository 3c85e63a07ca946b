import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listening } from '../faults/node-server.fixture.js';
import { FEATURES } from '../in-process/features.fixture.js';
import { localService, refusedAddress } from '../provider/open.fixture.js';
import { forwardProxy } from '../servers/forward-proxy.fixture.js';
import { ran } from './ran.fixture.js';

const explain = async (url: string, env: Readonly<Record<string, string>> = {}) =>
  ran(['explain', '--flag', 'banner', '--url', url], env);

const failing = (pattern: RegExp) => ({ code: 1, err: expect.stringMatching(pattern) as string });

describe('a command that reads a running Flipt', () => {
  it('goes through the proxy of the environment, except where NO_PROXY says so', async () => {
    const { url } = await localService({ features: FEATURES });
    await using proxy = await forwardProxy();
    const withPassword = proxy.url.replace('://', '://user:dummy@');
    expect(await explain(url, { http_proxy: withPassword })).toMatchObject({ code: 0, err: '' });
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${btoa('user:dummy')}`]));
    proxy.forget();
    expect(await explain(url, { HTTP_PROXY: proxy.url, NO_PROXY: new URL(url).hostname })).toMatchObject({
      code: 0,
    });
    expect(await explain(url)).toMatchObject({ code: 0, err: '' });
    expect(proxy.seen).toEqual([]);
  });

  it('does not go past a proxy that cannot be used', async () => {
    const { url } = await localService({ features: FEATURES });
    expect(await explain(url, { ALL_PROXY: 'socks5://127.0.0.1:1080' })).toMatchObject(failing(/ALL_PROXY/));
  });

  it('says what is not there: Flipt, or the proxy', async () => {
    const nowhere = await refusedAddress();
    expect(await explain(nowhere)).toMatchObject(
      failing(/is Flipt running there\? Set its address with --url$/),
    );
    expect(await explain('http://flipt.test', { HTTP_PROXY: nowhere })).toMatchObject(
      failing(/is the proxy running there\? Its address is in a variable such as HTTPS_PROXY$/),
    );
  });

  it('says that a proxy wants other credentials, and shows none', async () => {
    const refusing = createServer((_, response) => response.writeHead(407).end());
    const proxy = await listening(refusing, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const { code, err } = await explain('http://flipt.test', {
      HTTP_PROXY: `http://me:dummy@127.0.0.1:${proxy.port}`,
    });
    expect([code, err]).toEqual([1, expect.stringContaining('407')]);
    expect(err).not.toContain('dummy');
  });
});
