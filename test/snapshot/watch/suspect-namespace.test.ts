import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { bodyJson, reply } from '../fetched.fixture.js';
import { watching } from './watched.fixture.js';

describe('a suspect namespace is reported', () => {
  it.each([
    [
      'where the service does not know it',
      reply(404, { code: 5, message: 'namespace "x" not found', details: [] }),
    ],
    ['where it is empty and has no ETag', reply(200, bodyJson({}))],
  ])('%s', async (_what, answer) => {
    const clock = manualClock();
    const { types } = watching(() => Promise.resolve(answer), clock);
    await clock.settle();
    expect(types()).toContain('namespace-suspect');
  });

  it.each([
    ['where it is empty and has an ETag', reply(200, bodyJson({}), { etag: 'x' })],
    ['where the service has no such path', reply(404, { code: 5, message: 'Not Found', details: [] })],
  ])('not %s', async (_what, answer) => {
    const clock = manualClock();
    const { types } = watching(() => Promise.resolve(answer), clock);
    await clock.settle();
    expect(types()).toEqual(['watch-changed']);
  });
});
