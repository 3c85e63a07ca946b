import { beforeAll, describe, expect, it } from 'vitest';
import type { LocalService } from '../../../src/local/index.js';
import { ask, BASE_FEATURES } from '../requests.fixture.js';
import { useServices } from '../running.fixture.js';

const TOKEN = 'first-token';
const start = useServices();
let service: LocalService;

beforeAll(async () => {
  service = await start({ features: BASE_FEATURES, bootstrapToken: TOKEN });
});

/** Each row was compared with Flipt v1.61.1. */
const ROWS: readonly (readonly [where: string, status: number, code: number, message: string])[] = [
  ['GET /api/v1/namespaces/default/flags//rules', 400, 3, 'invalid field flagKey: must not be empty'],
  ['GET /api/v1/namespaces/default/flags/%2Frules', 400, 3, 'invalid field flagKey: must not be empty'],
  ['GET /api/v1/namespaces/default/segments/%2F', 400, 3, 'invalid field key: must not be empty'],
  [
    'GET /api/v1/namespaces/default/segments?limit=1&limit=2',
    400,
    3,
    'too many values for field "limit": 1, 2',
  ],
  ['GET /api/v1/namespaces/default/segments?a;b', 400, 3, 'invalid semicolon separator in query'],
  ['GET /api/v1/namespaces/default/segments/beta?other=%zz', 400, 3, 'invalid URL escape "%zz"'],
  ['GET /api/v1/namespaces/default/segments/beta/', 200, 0, ''],
  ['GET /api/v1/namespaces/default/segments/%2562eta', 404, 5, 'segment "default/%62eta" not found'],
  ['GET /api/v1/namespaces/default/segments/beta%20', 404, 5, 'segment "default/beta " not found'],
  ['PATCH /api/v1/namespaces/default/segments', 501, 12, 'Method Not Allowed'],
  ['GET /api/v1/namespaces/default/nothing', 404, 5, 'Not Found'],
];

describe('an odd request', () => {
  it.each(ROWS)('%s: %i, code %i, %s', async (where, status, code, message) => {
    const answer = await ask(service.url, where, { token: TOKEN });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toEqual({ code, message, details: [] });
  });

  it.each(ROWS.filter(([, status]) => status === 400))('%s: a 401 without credentials', async (where) => {
    expect(await ask(service.url, where)).toMatchObject({ status: 401, body: { code: 16 } });
    expect(await ask(service.url, where, { token: 'wrong' })).toMatchObject({ status: 401 });
  });

  it('may have encoded letters, but not before the version', async () => {
    for (const [path, status] of [
      ['/api/v1/n%61mespaces/default/se%67ments/%62eta', 200],
      ['/api/v%31/namespaces/default/segments/beta', 404],
      ['/%61pi/v1/namespaces/default/segments/beta', 404],
      ['/api%2Fv1/namespaces/default/segments/beta', 404],
      ['/api/v1%2Fnamespaces/default/segments/beta', 404],
      ['/internal/v1/evaluation/snap%73hot/namespace/default', 200],
      ['/internal/%761/evaluation/snapshot/namespace/default', 404],
      ['/heal%74h', 404],
    ] as const) {
      expect(await ask(service.url, `GET ${path}`, { token: TOKEN }), path).toMatchObject({ status });
    }
  });

  it('with a query that cannot be read fails only where there are parameters', async () => {
    for (const query of ['a;b', '%zz']) {
      const batch = await ask(service.url, `POST /evaluate/v1/batch?${query}`, { token: TOKEN, body: {} });
      expect(batch.status).toBe(200);
    }
  });
});
