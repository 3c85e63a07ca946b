import { request } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ask } from './requests.fixture.js';
import { useServices } from './running.fixture.js';

const start = useServices();
const BATCH = 'POST /evaluate/v1/batch';
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_ITEMS = 50_000;

const body = (bytes: number) => `{"requestId":"${'x'.repeat(bytes - 16)}"}`;
const batch = (items: number) => `{"requests":[${Array.from({ length: items }, () => '{}').join()}]}`;

describe('a body', () => {
  it('may have 16 MB, and not one byte more', async () => {
    const { url } = await start();
    expect(await ask(url, BATCH, { body: body(MOST_BYTES) })).toMatchObject({ status: 200 });
    expect(await ask(url, BATCH, { body: body(MOST_BYTES + 1) })).toMatchObject({
      status: 413,
      body: { code: 8, message: `the request's body is larger than ${MOST_BYTES} bytes`, details: [] },
    });
  });

  it('is measured even if its size is not announced', async () => {
    const { url } = await start();
    const sending = request(`${url}/evaluate/v1/batch`, { method: 'POST' });
    const answered = once(sending, 'response') as Promise<[{ statusCode: number; resume: () => void }]>;
    for (let sent = 0; sent <= MOST_BYTES; sent += 1_000_000) sending.write(' '.repeat(1_000_000));
    sending.end();
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    response.resume();
  });
});

describe('a batch', () => {
  it(`has ${MOST_ITEMS} items at most`, async () => {
    const { url } = await start();
    const most = await ask(url, BATCH, { body: batch(MOST_ITEMS) });
    expect(most.status).toBe(200);
    expect(most.body.responses).toHaveLength(MOST_ITEMS);
    for (const [items, message] of [
      [MOST_ITEMS + 1, 'expected at most 50000 items in a batch'],
      [5_592_000, "the request's body has more than 500000 values"],
    ] as const) {
      const body = { code: 8, message };
      expect(await ask(url, BATCH, { body: batch(items) })).toMatchObject({ status: 413, body });
    }
  });
});
