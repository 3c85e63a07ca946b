import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { ask } from './requests.fixture.js';

const TOKEN = 'dummy-bootstrap';
const FEATURES = [
  { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
  { namespace: 'team', flags: [{ key: 'colour', enabled: true, variants: [{ key: 'red' }] }] },
] as const;

let open: LocalService;
let closed: LocalService;
let teamToken: string;
beforeAll(async () => {
  open = await startLocalService({ features: FEATURES });
  closed = await startLocalService({ features: FEATURES, bootstrapToken: TOKEN });
  const { body } = await ask(closed.url, 'POST /auth/v1/method/token', {
    token: TOKEN,
    body: { name: 'team', namespaceKey: 'team' },
  });
  teamToken = String(body.clientToken);
});
afterEach(() => {
  open.reset();
});
afterAll(async () => {
  await open.close();
  await closed.close();
});

const load = (url: string, path: string) => fetch(`${url}${path}`, { headers: { accept: 'text/html,*/*' } });

describe('the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/local/page/page.css', 'text/css; charset=utf-8'],
    ['/local/page/page.js', 'text/javascript; charset=utf-8'],
  ])('is served without a token, with headers that keep foreign content out: %s', async (path, type) => {
    const response = await load(closed.url, path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/,
    );
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('has no script, style or handler of its own in the HTML, and loads nothing from elsewhere', async () => {
    const html = await (await load(open.url, '/')).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/local\/page\/)/);
    const loaded = [...html.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(loaded).toEqual(['data:,', '/local/page/page.css', '/local/page/page.js']);
  });
});

describe('what the page reads', () => {
  it('lists namespaces and flags, with their overrides', async () => {
    open.set('on', false);
    open.set('on', true, { for: 'user-1' });
    const { body } = await ask(open.url, 'GET /local/v1/state');
    expect(body).toMatchObject({ accepted: true, refused: '' });
    expect(body.namespaces).toEqual([
      {
        key: 'default',
        flags: [
          {
            key: 'on',
            name: '',
            description: '',
            enabled: true,
            type: 'boolean',
            variants: [],
            value: false,
            forSome: 1,
            words: { steps: [], otherwise: 'Otherwise: true' },
          },
        ],
      },
      {
        key: 'team',
        flags: [expect.objectContaining({ key: 'colour', type: 'variant', variants: ['red'], forSome: 0 })],
      },
    ]);
  });

  it('explains what is evaluated, including overrides', async () => {
    const where = 'POST /local/v1/namespaces/default/explanations';
    const asked = { flag: 'on', entity: 'user-1', context: { plan: 'pro' } };
    open.set('on', false);
    const { body } = await ask(open.url, where, { body: asked });
    expect(body).toMatchObject({ explanation: { answer: { enabled: false } } });
    expect(body.text).toContain('Answer: false');
    open.reset();
    expect((await ask(open.url, where, { body: asked })).body.text).toContain('Answer: true, reason DEFAULT');
    const missing = await ask(open.url, 'POST /local/v1/namespaces/gone/explanations', { body: asked });
    expect(missing.body.text).toContain('there is no such flag');
    expect(await ask(open.url, where, { body: { context: { age: 5 } } })).toMatchObject({ status: 400 });
  });

  it('says whether a token is accepted, without a 401 that a browser would report', async () => {
    const session = async ({ url }: LocalService, token?: string) =>
      (await ask(url, 'GET /local/v1/state', token === undefined ? {} : { token })).body;
    expect(await session(open)).toMatchObject({ accepted: true });
    expect(await session(closed)).toEqual({ accepted: false });
    expect(await session(closed, 'dummy-wrong')).toEqual({ accepted: false });
    expect(await session(closed, TOKEN)).toMatchObject({ accepted: true });
    expect(await session(closed, teamToken)).toMatchObject({ accepted: true });
  });

  it.each(['GET /local/v1/changes', 'POST /local/v1/namespaces/team/explanations'])(
    'needs a token if one is required: %s',
    async (where) => {
      expect(await ask(closed.url, where)).toMatchObject({ status: 401 });
    },
  );

  it('shows only its namespace to a token of one namespace', async () => {
    const { body } = await ask(closed.url, 'GET /local/v1/state', { token: teamToken });
    expect(body.namespaces).toMatchObject([{ key: 'team' }]);
    expect(body.namespaces).toHaveLength(1);
    const explained = (namespace: string) =>
      ask(closed.url, `POST /local/v1/namespaces/${namespace}/explanations`, { token: teamToken, body: {} });
    expect((await explained('team')).status).toBe(200);
    expect((await explained('default')).status).toBe(401);
  });

  it('hears of each change of what is evaluated', async () => {
    const response = await fetch(`${open.url}/local/v1/changes`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const next = async () => /^data: .*$/m.exec(new TextDecoder().decode((await reader.read()).value))?.[0];
    expect(await next()).toBe('data: changed');
    open.set('on', false);
    expect(await next()).toBe('data: changed');
    await open.load({ flags: [] });
    expect(await next()).toBe('data: changed');
    await reader.cancel();
  });
});
