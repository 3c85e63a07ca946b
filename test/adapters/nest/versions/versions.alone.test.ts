import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { served } from '../../../examples/running.fixture.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ROOT = '../../../../';

// All other tests use the Nest 11 of the root.
describe.each([
  ['10', 'ten'],
  ['12', 'twelve'],
])('Nest %s', (major, folder) => {
  const app = here(`${folder}/node_modules/app.mjs`);

  // Copies, not links, because they must find the Nest beside them.
  beforeAll(async () => {
    const installed = here(`${folder}/node_modules/openfeature-flipt-provider/`);
    await rm(installed, { recursive: true, force: true });
    await cp(here(`${ROOT}dist`), `${installed}dist`, { recursive: true });
    await cp(here(`${ROOT}package.json`), `${installed}package.json`);
    await cp(here('app.mjs'), app);
  });

  it.concurrent.each(['express', 'fastify'])(
    'is served on %s: guard, interceptor, handler, 200 users at once, tracking, shutdown',
    async (adapter) => {
      const { url, interrupt } = await served([app, adapter, major]);
      const ask = async (path: string, init?: RequestInit) => {
        const response = await fetch(`${url}/${path}`, init);
        return [response.status, await response.json()];
      };
      const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
      expect(await ask('guarded?user=ada')).toEqual([200, ['in']]);
      expect(await ask('guarded?user=grace')).toMatchObject([404, { error: 'Not Found' }]);
      expect(await ask('open?user=grace', body)).toEqual([201, [false, true]]);
      const users = Array.from({ length: 200 }, (_, at) => `${at % 2 === 0 ? 'ada' : 'grace'}-${at}`);
      const seen = await Promise.all(users.map((user) => ask(`who?user=${user}`)));
      expect(seen).toEqual(users.map((user) => [200, [user, user.startsWith('ada')]]));
      expect(await ask('bought?user=ada')).toEqual([200, []]);
      const { code, output } = await interrupt();
      expect(code).toBe(0);
      expect(output.match(/(track\(".*"\): the event is of no user|tracked: .*|closed: true)/g)).toEqual([
        'track("forgotten"): the event is of no user',
        'tracked: forgotten by undefined',
        'tracked: purchase by ada',
        'closed: true',
      ]);
    },
  );
});
