import { expect, it } from 'vitest';
import { ofrep } from '../../src/adapters/ofrep/index.js';
import { ANN, newer } from './newer-flipt.fixture.js';

it('in-process, an unreadable flag spoils nothing if the context is too large to be sent, in evaluateAll, evaluateEach and OFREP', async () => {
  const { client, provider, asked } = await newer({ evaluation: 'in-process', batch: { maxBytes: 1_000 } });
  const context = { ...ANN, page: 'x'.repeat(1_000) };

  expect(await client.getStringDetails('list', 'none', context)).toMatchObject({
    value: 'none',
    errorCode: 'PARSE_ERROR',
    errorMessage: expect.stringMatching(
      /the provider cannot ask Flipt: .*too large.*batch\.maxBytes/,
    ) as string,
  });
  expect(Object.keys(await provider.evaluateAll(context))).toEqual(['banner']);
  const each = await provider.evaluateEach(context, () => true);
  expect(Object.fromEntries(each)).toMatchObject({
    banner: { value: true },
    list: { type: 'failed', errorCode: 'PARSE_ERROR' },
  });
  const handler = ofrep({ provider, flags: ['banner', 'list'], context: () => context });
  const request = new Request('http://app.test/ofrep/v1/evaluate/flags', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await (await handler(request)).json()).toMatchObject({
    flags: [
      { key: 'banner', value: true },
      { key: 'list', errorCode: 'GENERAL' },
    ],
  });
  expect(asked()).toEqual([]);
});

it('remote, a context that is too large for the longer of two flag keys concerns that flag alone', async () => {
  const { provider } = await newer({ batch: { maxBytes: 1_000 } });
  const long = 'l'.repeat(400);
  const each = await provider.evaluateEach({ ...ANN, page: 'x'.repeat(500) }, ['banner', long]);

  expect(each.get('banner')).toMatchObject({ value: true });
  expect(each.get(long)).toEqual({ type: 'failed', errorCode: 'INVALID_CONTEXT' });
  await expect(provider.evaluateEach({ ...ANN, page: 'x'.repeat(1_000) }, ['banner', long])).rejects.toThrow(
    /too large/,
  );
});
