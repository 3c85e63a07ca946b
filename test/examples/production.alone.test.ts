import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { eventually } from '../eventually.fixture.js';
import { node } from './running.fixture.js';

const FEATURES = new URL('../../examples/production/features.yml', import.meta.url);
const SERVER = ['--import', 'tsx', 'examples/production/server.ts'];

/** Starts the service on a free port, and returns what it serves at a path. */
async function started(settings: Readonly<Record<string, string>>) {
  const { child, ended, output } = node(SERVER, {
    PORT: '0',
    METRICS_PORT: '0',
    TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json',
    ...settings,
  });
  let port = '';
  await eventually(() => {
    [, port = ''] = /listening on port (\d+)/.exec(output()) ?? [];
    return port !== '';
  });
  const page = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-user': 'ada' } });
    return response.text();
  };
  const terminate = async () => {
    child.kill('SIGTERM');
    return (await ended).code;
  };
  return { page, terminate, output };
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
  expect(JSON.parse(await first.page('/internal/flags'))).toMatchObject({ condition: 'ready' });
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
