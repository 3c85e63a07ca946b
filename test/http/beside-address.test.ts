import { expect, it } from 'vitest';
import { besideAddress } from '../../src/http/proxy.js';
import { statusFailure } from '../../src/http/reply-message.js';
import { clientSettings } from '../../src/options/settings.js';
import { REQUEST } from './outcomes.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

const UNSET = ' (neither the option url nor FLIPT_URL is set)';
const PROXY = ' through the proxy http://proxy.test:3128';

it.each<[object, Record<string, string>, string]>([
  [{}, {}, UNSET],
  [{ url: undefined }, {}, UNSET],
  [{ url: undefined }, { FLIPT_URL: '' }, UNSET],
  [{ url: 'http://localhost:8080' }, {}, ''],
  [{}, { FLIPT_URL: 'http://flipt.test' }, ''],
  [{ http: { socketPath: '/flipt.sock' } }, {}, ''],
  [{ url: 'http://flipt.test', http: { proxy: 'http://me:dummy@proxy.test:3128' } }, {}, PROXY],
  [{ http: { proxy: 'http://proxy.test:3128' } }, {}, PROXY + UNSET],
  [{ url: 'http://flipt.test', http: { proxy: 'env' } }, { http_proxy: 'http://proxy.test:3128' }, PROXY],
  [
    { url: 'http://flipt.test', http: { proxy: 'env' } },
    { http_proxy: 'http://proxy.test:3128', no_proxy: 'flipt.test' },
    '',
  ],
])(
  'a failure with the options %j and the environment %j says what it may be due to',
  (options, env, words) => {
    expect(besideAddress(clientSettings(options, env))).toBe(words);
  },
);

it('a proxy that is gone is named, and so is one that refuses', async () => {
  const gone = await serving(() => undefined);
  await gone.close();
  const refusing = await serving((_request, response) => void response.writeHead(502).end());
  const through = (proxy: string) => {
    const transport = transportTo('http://flipt.test', { http: { proxy, timeoutMs: 5_000 } });
    return transport.send(REQUEST);
  };
  expect(await through(gone.url)).toMatchObject({
    kind: 'connection',
    message: expect.stringMatching(
      `^the request to Flipt at http://flipt.test through the proxy ${gone.url} failed: .*ECONNREFUSED`,
    ) as string,
  });
  const reply = await through(refusing.url);
  if (reply.kind !== 'reply') throw new Error(reply.kind);
  expect(statusFailure('http://flipt.test', reply).message).toBe(
    `Flipt at http://flipt.test through the proxy ${refusing.url} answered 502 with an empty body`,
  );
});
