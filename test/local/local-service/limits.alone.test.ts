import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { listen } from '../../../src/local/http/listener.js';
import { textOf } from '../../docs/pages.fixture.js';
import { ask } from '../requests.fixture.js';

vi.mock('../../../src/local/http/listener.js', { spy: true });

let service: LocalService;

beforeAll(async () => {
  service = await startLocalService({ features: {} });
});
afterAll(async () => {
  await service.close();
});

const BATCH = 'POST /evaluate/v1/batch';
const MEGABYTES = 16;
const body = (bytes: number) => `{"requestId":"${'x'.repeat(bytes - 16)}"}`;

it('takes a body of 16 MB, and not of one byte more', async () => {
  const most = MEGABYTES * 1024 * 1024;
  expect(await ask(service.url, BATCH, { body: body(most) })).toMatchObject({ status: 200 });
  expect(await ask(service.url, BATCH, { body: body(most + 1) })).toMatchObject({ status: 413 });
});

it('listens as the options state, with the limits that the doc comments state', () => {
  expect(listen).toHaveBeenCalledExactlyOnceWith(
    expect.any(Function),
    expect.objectContaining({
      port: 0,
      host: '127.0.0.1',
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      closeTimeoutMs: 1_500,
    }),
  );
  const comments = textOf('src/local/local-service.ts').replace(/\n *\* /g, ' ');
  expect(comments).toContain(
    "A request's body can have at most 16 MB, and a batch at most 50,000 items; the service answers a larger request with a 413. A request's headers must arrive within 10 s, and the whole request within 30 s.",
  );
  expect(comments).toContain(
    'waits up to 1.5 s for the other requests that are in flight, and ends all connections, within 2 s in all',
  );
});

it('evaluates as the options state', async () => {
  // Flipt v2 does not serve it.
  expect(await ask(service.url, 'GET /api/v1/namespaces/default/segments')).toMatchObject({ status: 200 });
});
