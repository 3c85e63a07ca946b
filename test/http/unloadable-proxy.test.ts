import { expect, it, vi } from 'vitest';
import { scriptedServer } from '../servers/scripted.fixture.js';
import { REQUEST } from './outcomes.fixture.js';
import { transportTo } from './transport.fixture.js';

const UNDICI = 'undici/index.js';
vi.mock('undici/index.js', () => {
  throw new Error('Cannot find module');
});

it('code of the proxy that cannot be loaded is loaded again by the next request', async () => {
  const proxy = await scriptedServer((_, response) => response.end('through the proxy'));
  const transport = transportTo('http://flipt.test', { http: { proxy: proxy.url } });
  expect(await transport.send(REQUEST)).toMatchObject({ kind: 'connection' });
  expect(await transport.send(REQUEST)).toMatchObject({ kind: 'connection' });
  vi.doUnmock(UNDICI);
  vi.resetModules();
  expect(await transport.send(REQUEST)).toMatchObject({ kind: 'reply', text: 'through the proxy' });
  await transport.close();
  await proxy.close();
});
