import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { node, served } from './running.fixture.js';

const START = 'scripts/start.js';
/** Other tests use dist at the same time. */
const BUILT = '--built';

it('is what npm start runs', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ scripts: { start: `node ${START}` } });
});

it('says at once what it does, then how long that took, then the flags and the addresses', async () => {
  const { interrupt } = await served([START, BUILT]);
  const { code, output } = await interrupt();
  const inOrder =
    /Starting Flipt and the app in this process …\n\n12 flags resolved with 1 HTTP request\.\n\nuser [^]*linus [^]*\nThe app +http:\/\/localhost:\d+\/[^]*\nFlipt, here +http:\/\/127\.0\.0\.1:\d+\//;
  expect(output).toMatch(inOrder);
  expect(code).toBe(0);
});

it('passes --once on', async () => {
  const { code, output } = await node([START, BUILT, '--once']).ended;
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^user [^]*\n12 flags resolved with 1 HTTP request\.\n$/),
  ]);
});
