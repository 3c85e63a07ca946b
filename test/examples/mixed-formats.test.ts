import { expect, it } from 'vitest';
import { node } from './running.fixture.js';

it('shares views, contexts and prefetched flags across ES modules and CommonJS', async () => {
  const { code, output } = await node(['test/examples/mixed-formats.mjs']).ended;
  const told = ['[true,true,true]', '[false,false,true]', '2 requests'];
  expect(output.trim().split('\n')).toEqual([...told, ...told, ...told]);
  expect(code).toBe(0);
});
