import { request } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { listening } from '../traffic/listening.fixture.js';
import { describeInBrowser } from './browser.fixture.js';
import { example, sharedExample } from './example.fixture.js';

vi.setConfig({ testTimeout: 120_000 });

/** The status of a request with headers that `fetch` would not send. */
function statusOf(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const PATHS = ['GET /', 'GET /events', 'POST /flipt', 'POST /flags/limits', 'POST /session'];

describe('the example', () => {
  const app = sharedExample();
  it.each(PATHS)('refuses %s for a rebound host name, and from another origin', async (path) => {
    const { url } = app();
    const [method = '', target = ''] = path.split(' ');
    const { host, port } = new URL(url);
    expect(await statusOf(url + target, method, { host: `attacker.test:${port}` })).toBe(403);
    for (const origin of ['http://attacker.test', 'null', `http://localhost:1${port}`]) {
      expect(await statusOf(url + target, method, { host, origin })).toBe(403);
    }
    expect(await statusOf(url + target, method, { host, origin: url })).toBeLessThan(300);
  });
});

/** What runs in the foreign page, with the address of the app. */
const ATTACK = `async (app) => {
  const simple = { method: 'POST', mode: 'no-cors', body: '{"running":false}' };
  await fetch(app + '/flipt', simple);
  await fetch(app + '/flags/limits', simple);
  const frame = Object.assign(document.createElement('iframe'), { src: app });
  const loaded = new Promise((resolve) => (frame.onload = resolve));
  document.body.append(frame);
  await loaded;
  const read = await fetch(app).then(() => 'read', () => 'not read');
  return { read, framed: frame.contentDocument };
}`;

describeInBrowser("somebody else's page", (open) => {
  it('can neither stop Flipt nor switch a flag, nor read or frame the page', async () => {
    const { url } = await example();
    const server = await listening((_, response) => response.end('<!doctype html><title>A</title>'));
    const { page } = await open(server.url);
    const tried = await page.evaluate(`(${ATTACK})(${JSON.stringify(url)})`);
    expect(tried).toEqual({ read: 'not read', framed: null });
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${url}/`);
    const { page: own } = await open(`${url}/`);
    await own.locator('summary').first().click();
    await own.locator('#modes').filter({ hasText: 'in-process' }).waitFor();
    expect(await own.locator('#running').textContent()).toBe('Flipt is up');
    expect(await own.getByRole('switch', { name: 'limits' }).getAttribute('aria-checked')).toBe('true');
    await server.close();
  });
});
