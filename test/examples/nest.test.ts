import { expect, it } from 'vitest';
import { node, served } from './running.fixture.js';

const MAIN = ['--import', 'tsx', 'examples/nest/main.ts'];
const SETTINGS = { TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json' };

it('answers each user by flags, in values and in the guard, and shuts down on Ctrl-C', async () => {
  const { url, interrupt } = await served(MAIN, SETTINGS);
  const ask = async (path: string) => {
    const response = await fetch(`${url}/${path}`);
    return [response.status, await response.json()];
  };
  const cases = [
    ['?user=ada', 200, { greeting: 'hello', checkout: 'old' }],
    ['?user=ada&member=true', 200, { greeting: 'welcome-back', checkout: 'new' }],
    ['new-checkout?user=ada&member=true', 200, { checkout: 'new' }],
  ] as const;
  for (const [path, status, body] of cases)
    expect([path, ...(await ask(path))]).toEqual([path, status, body]);
  expect(await ask('new-checkout?user=ada')).toMatchObject([404, { error: 'Not Found' }]);
  expect(await ask('')).toMatchObject([401, {}]);
  // Nest ends a process by the signal that it was sent, after its hooks have run.
  expect(await interrupt()).toMatchObject({ signal: 'SIGINT' });
});

it('says so if the port is in use, and ends with 1', async () => {
  const first = await served(MAIN, SETTINGS);
  const { port } = new URL(first.url);
  const { code, output } = await node(MAIN, { ...SETTINGS, PORT: port }).ended;
  expect(output).toContain('The port is in use already; choose another with PORT=…');
  expect(code).toBe(1);
  await first.interrupt();
});
