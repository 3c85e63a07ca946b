import { beforeAll, expect, it } from 'vitest';
import { node, served, type Running } from './running.fixture.js';

const MAIN = ['--import', 'tsx', 'examples/nest/main.ts'];
const SETTINGS = { TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json' };

let app: Running;
beforeAll(async () => {
  app = await served(MAIN, SETTINGS);
});

it('answers each user by flags, in values and in the guard', async () => {
  const ask = async (path: string) => {
    const response = await fetch(`${app.url}/${path}`);
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
});

it('says so if the port is in use, and ends with 1', async () => {
  const { port } = new URL(app.url);
  const { code, output } = await node(MAIN, { ...SETTINGS, PORT: port }).ended;
  expect(output).toContain('The port is in use already; choose another with PORT=…');
  expect(code).toBe(1);
});

it('shuts down on Ctrl-C', async () => {
  // Nest ends a process by the signal that it was sent, after its hooks have run.
  expect(await app.interrupt()).toMatchObject({ signal: 'SIGINT' });
});
