import { expect, it } from 'vitest';
import { node } from './running.fixture.js';

it('shares views, contexts and prefetched flags across ES modules and CommonJS', async () => {
  const { code, output } = await node(['test/examples/mixed-formats.mjs']).ended;
  const answers = ['[true,true,true]', '[false,false,true]', '2 requests'];
  expect(output.trim().split('\n')).toEqual([...answers, ...answers, ...answers]);
  expect(code).toBe(0);
});
