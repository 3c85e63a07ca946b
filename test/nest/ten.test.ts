import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { served } from '../examples/running.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// A copy, not a link: it is to find the Nest that is beside it.
beforeAll(async () => {
  const installed = here('ten/node_modules/openfeature-flipt-provider/');
  await cp(here('../../dist'), `${installed}dist`, { recursive: true });
  await cp(here('../../package.json'), `${installed}package.json`);
});

it.each(['express', 'fastify'])('serves Nest 10 on %s: guard, handler, shutdown', async (adapter) => {
  const { url, interrupt } = await served([here('ten/app.mjs'), adapter]);
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}/${path}`, init);
    return [response.status, await response.json()];
  };
  const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  expect(await ask('guarded?user=ada')).toEqual([200, ['in']]);
  expect(await ask('guarded?user=grace')).toMatchObject([404, { error: 'Not Found' }]);
  expect(await ask('open?user=grace', body)).toEqual([201, [false, true]]);
  expect(await interrupt()).toMatchObject({
    code: 0,
    output: expect.stringContaining('closed: true') as string,
  });
});
