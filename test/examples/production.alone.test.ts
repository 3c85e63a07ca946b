import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { eventually } from '../eventually.fixture.js';
import { node } from './running.fixture.js';

const FEATURES = new URL('../../examples/production/features.yml', import.meta.url);
const SECRET = 'of a test';
const SERVER = ['--import', 'tsx', 'examples/production/server.ts'];

/** Starts the service on a free port, and returns what it serves at a path. */
async function started(settings: Readonly<Record<string, string>>) {
  const { child, ended, output } = node(SERVER, {
    PORT: '0',
    ADMIN_PORT: '0',
    SESSION_SECRET: SECRET,
    TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json',
    ...settings,
  });
  const ports = () =>
    [/listening on port (\d+)/, /status on port (\d+)/].map((line) => line.exec(output())?.[1]);
  await eventually(() => ports().every((port) => port !== undefined));
  const [port = '', adminPort = ''] = ports();
  const getter =
    (origin: string) =>
    async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(origin + path, { headers });
      return response.text();
    };
  const page = getter(`http://127.0.0.1:${port}`);
  const admin = getter(`http://127.0.0.1:${adminPort}`);
  const terminate = async () => {
    child.kill('SIGTERM');
    return (await ended).code;
  };
  return { page, admin, terminate, output };
}

it('serves flags and its status, ends on SIGTERM, and starts again without Flipt with the same flags', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flipt-production-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const service = await startLocalService({ features: FEATURES });
  const settings = { FLIPT_URL: service.url, FLAGS_SNAPSHOT: join(folder, 'flags.json') };

  const first = await started(settings);
  expect(await first.page('/healthz')).toBe('ok');
  expect(await first.page('/')).toBe('{"checkout":"new","banner":"blue"}');
  expect(JSON.parse(await first.admin('/flags'))).toMatchObject({ condition: 'ready' });
  expect(await first.admin('/metrics')).toContain('flipt');
  for (const path of ['/flags', '/internal/flags', '/metrics']) {
    expect(await first.page(path)).toContain(`Cannot GET ${path}`);
  }
  expect(await first.terminate()).toBe(0);

  await service.close();
  const second = await started(settings);
  expect(await second.page('/')).toBe('{"checkout":"new","banner":"blue"}');
  expect(await second.page('/healthz')).toBe('ok');
  expect(await second.terminate()).toBe(0);
});

it('starts with its defaults where there is neither Flipt nor a snapshot', async () => {
  const nowhere = await startLocalService({ features: { flags: [] } });
  await nowhere.close();
  const app = await started({ FLIPT_URL: nowhere.url });
  expect(await app.page('/healthz')).toBe('ok');
  expect(await app.page('/')).toBe('{"checkout":"old","banner":"none"}');
  expect(app.output()).toContain('The flags are not ready, so the app starts with its defaults:');
  expect(await app.terminate()).toBe(0);
});

it('gives each user of a signed session their own flags, whatever else a browser says', async () => {
  const service = await startLocalService({
    features: {
      flags: [
        {
          key: 'new-checkout',
          name: 'new-checkout',
          type: 'BOOLEAN_FLAG_TYPE',
          enabled: false,
          rollouts: [{ segment: { key: 'ada', value: true } }],
        },
      ],
      segments: [
        {
          key: 'ada',
          name: 'ada',
          match_type: 'ALL_MATCH_TYPE',
          constraints: [
            { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entity', operator: 'eq', value: 'ada' },
          ],
        },
      ],
    },
  });
  onTestFinished(() => service.close());
  const app = await started({ FLIPT_URL: service.url });
  const [OLD, NEW] = ['old', 'new'].map((checkout) => JSON.stringify({ checkout, banner: 'none' }));
  const sign = createHmac('sha256', SECRET).update('ada').digest('base64url');

  expect(await app.page('/', { cookie: `session=ada.${sign}` })).toBe(NEW);
  expect(await app.page('/', { 'x-user': 'ada' })).toBe(OLD);
  expect(await app.page('/?user=ada')).toBe(OLD);
  for (const cookie of ['session=ada', 'session=ada.', `session=ada.${sign.slice(1)}`, `session=.${sign}`]) {
    expect(await app.page('/', { cookie })).toBe(OLD);
  }
  expect(await app.terminate()).toBe(0);
});
