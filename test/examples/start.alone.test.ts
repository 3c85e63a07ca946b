import { expect, it } from 'vitest';
import { node, served } from './running.fixture.js';

/** What `npm start` runs. */
const START = 'examples/express/main.js';

it('says at once what it does, then how long that took, then the flags and the addresses', async () => {
  const { interrupt } = await served([START]);
  const { code, output } = await interrupt();
  const inOrder =
    /12 flags resolved with 1 HTTP request\.\n\nuser [^]*linus [^]*\nThe app +http:\/\/localhost:\d+\/[^]*\nFlipt, here +http:\/\/127\.0\.0\.1:\d+\//;
  expect(output).toMatch(inOrder);
  expect(code).toBe(0);
});

it('passes --once on', async () => {
  const { code, output } = await node([START, '--once']).ended;
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^user [^]*\n12 flags resolved with 1 HTTP request\.\n$/),
  ]);
});
