import { expect, it } from 'vitest';
import { good } from '../changing.fixture.js';
import { serving } from '../open.fixture.js';
import { eventually } from '../../eventually.fixture.js';
import { living, withSnapshot } from './living.fixture.js';

it('the status says why changes are seen late, as long as they are', async () => {
  let takesMs = 5_000;
  const script = withSnapshot(['a']);
  const server = await serving(good, (request, response) => {
    clock.block(takesMs);
    return script(request, response);
  });
  const { lifecycle, ended, clock } = living({ url: server.url, evaluation: 'in-process' });
  const polls = (count: number) =>
    eventually(async () => {
      await clock.settle();
      expect(lifecycle.status().watch).toMatchObject({
        polls: count,
        nextPollAt: expect.any(String) as string,
      });
    });
  await ended(lifecycle.start());
  expect(lifecycle.status().watch).toMatchObject({ seenWithinMs: 18_000, why: null });
  await clock.advance(15_000);
  await polls(2);
  expect(lifecycle.status().watch).toMatchObject({
    seenWithinMs: 120_000,
    why: 'a whole snapshot takes Flipt 5 s, so that it is polled every 100 s',
  });
  takesMs = 0;
  await clock.advance(100_000);
  await polls(3);
  expect(lifecycle.status().watch).toMatchObject({ seenWithinMs: 18_000, why: null });
});
