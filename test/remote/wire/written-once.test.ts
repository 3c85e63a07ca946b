import { expect, it, vi } from 'vitest';
import { failedWith } from '../../http/outcomes.fixture.js';
import { batchWriter, batchSender } from '../../../src/remote/wire/batch-request.js';
import { question } from '../questions.fixture.js';

it('writes a question as JSON once, however often it is measured and sent', async () => {
  const attributes = { plan: 'pro' };
  const written = vi.fn(() => attributes);
  const asked = { ...question('colour'), attributes: { ...attributes, toJSON: written as never } };
  const writer = batchWriter(undefined);
  const sent: unknown[] = [];
  const ask = batchSender(
    (request) => {
      sent.push(request.body);
      return Promise.resolve(failedWith('connection'));
    },
    { url: 'http://flipt.test', environment: undefined, reference: undefined, auth: undefined, headers: {} },
    new AbortController().signal,
    writer,
  );
  writer.sizes.of(asked);
  await ask([asked]);
  await ask([asked]);
  expect(written).toHaveBeenCalledOnce();
  expect(sent[0]).toContain('"context":{"plan":"pro"}');
  expect(sent[1]).toBe(sent[0]);
});
