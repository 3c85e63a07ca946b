import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutAuthentication } from '../../../src/local/operations/authentication.js';
import { serviceCore } from '../../../src/local/operations/operation.js';
import { createHandler } from '../../../src/local/http/handler.js';
import { listen, type Listener } from '../../../src/local/http/listener.js';
import { Store } from '../../../src/local/state/state-store.js';
import { ask, fixedStamp } from '../requests.fixture.js';

const MAX_BODY = 1000;
let listener: Listener;
let failing: Listener;

async function serve(store: Store): Promise<Listener> {
  const service = serviceCore(store, 'v1', fixedStamp());
  const handler = createHandler(service, withoutAuthentication, ['127.0.0.1'], MAX_BODY);
  return listen(handler, {
    port: 0,
    host: '127.0.0.1',
    headersTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    closeTimeoutMs: 1000,
  });
}

beforeAll(async () => {
  listener = await serve(new Store({ namespaces: new Map(), tokens: new Map() }));
  const broken = new Proxy(new Map(), {
    get() {
      throw new Error('a detail that is nobody’s business');
    },
  });
  failing = await serve(new Store({ namespaces: broken, tokens: new Map() }));
});

afterAll(async () => {
  await Promise.all([listener.close(), failing.close()]);
});

const BATCH = 'POST /evaluate/v1/batch';
const body = (bytes: number): string => `{"requestId":"${'x'.repeat(bytes - 16)}"}`;

describe('a body', () => {
  it('may be as large as the limit, to the byte', async () => {
    expect(await ask(listener.url, BATCH, { body: body(MAX_BODY) })).toMatchObject({ status: 200 });
    expect(await ask(listener.url, BATCH, { body: body(MAX_BODY + 1) })).toMatchObject({
      status: 413,
      body: { code: 8, message: "the request's body is larger than 1000 bytes", details: [] },
    });
  });

  it('is measured even if its size is not announced, and the connection stays open', async () => {
    for (const [bytes, status] of [
      [MAX_BODY + 1, 413],
      [100 * MAX_BODY, 413],
      [MAX_BODY, 200],
    ] as const) {
      const sending = request(`${listener.url}/evaluate/v1/batch`, { method: 'POST' });
      const answered = once(sending, 'response') as Promise<[{ statusCode: number; resume: () => void }]>;
      const text = body(bytes);
      for (let start = 0; start < text.length; start += 600) sending.write(text.slice(start, start + 600));
      sending.end();
      const [response] = await answered;
      expect(response.statusCode).toBe(status);
      response.resume();
    }
  });

  it('that breaks off harms no other request', async () => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST /evaluate/v1/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"req');
    socket.destroy();
    await once(socket, 'close');
    expect(await ask(listener.url, BATCH, { body: '' })).toMatchObject({ status: 200 });
  });

  it('may hold bytes that are not UTF-8', async () => {
    const response = await fetch(`${listener.url}/evaluate/v1/batch`, {
      method: 'POST',
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(response.status).toBe(400);
  });
});

describe('a path', () => {
  it.each([
    ['GET /', 404],
    ['GET /health/', 404],
    ['GET /health?a=b?c', 200],
    ['GET /health/more', 404],
    ['POST /health', 501],
    ['HEAD /nowhere', 404],
    ['DELETE /api/v1/namespaces/default/segments/x', 501],
    ['GET /api/v1/namespaces//segments', 200],
    ['GET /api/v1/namespaces/a/segments/', 200],
    ['GET /api/v1/namespaces/a%2Fb/segments', 404],
    ['GET /api/v1/namespaces/a%2fsegments', 200],
    ['GET /api/v1/namespaces/a/segments/b%2Fc', 404],
    ['GET /api/v1/namespaces/%zz/segments', 400],
    ['GET /api/v1/namespaces/%ff/segments', 404],
    ['GET /api/v1/namespaces/a/flags//rules', 400],
    ['POST /api/v1/namespaces/a/flags//rules', 400],
    ['PUT /api/v1/namespaces/a/flags/b/variants/', 501],
    ['GET /auth/v1/tokens/', 501],
    ['GET /api/v1/namespaces/a/flags//variants', 501],
    ['PROPFIND /health', 405],
    ['PROPFIND /nowhere', 405],
    ['PROPFIND /%zz', 400],
  ])('%s: %i', async (where, status) => {
    const [method = '', path = ''] = where.split(' ');
    expect((await fetch(`${listener.url}${path}`, { method })).status).toBe(status);
  });
});

describe('a defect of the service', () => {
  it('is a 500 without details', async () => {
    expect(await ask(failing.url, BATCH, { body: { requests: [{}] } })).toMatchObject({
      status: 500,
      body: { code: 13, message: 'internal error', details: [] },
    });
  });
});
