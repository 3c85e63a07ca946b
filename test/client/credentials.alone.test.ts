import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { CREDENTIAL_VARIABLES } from '../../src/options/settings.js';
import { answerJson, type Script } from '../servers/scripted.fixture.js';
import { failureOf, serving, TOKEN } from './serving.fixture.js';

describe('a token is never shown', () => {
  const shown = (value: unknown) => inspect(value, { depth: Infinity, showHidden: true });

  it('by the client itself', () => {
    expect(shown(new FliptClient({ auth: { token: TOKEN } }))).not.toContain(TOKEN);
  });

  it.each<[string, Script]>([
    [
      'an error body that repeats the request',
      ({ headers }, response) => {
        answerJson(
          response,
          { code: 3, message: `bad: ${headers.authorization ?? ''}`, details: [headers] },
          400,
        );
      },
    ],
    [
      'an error page that repeats the request',
      ({ headers }, response) =>
        response.writeHead(418, { 'content-type': 'text/html' }).end(`<p>${headers.authorization ?? ''}`),
    ],
    ['a page of its own', (_, response) => response.writeHead(200).end(TOKEN)],
    ['a broken connection', (_, response) => response.destroy()],
    ['silence', () => undefined],
  ])('in an error after %s', async (_, script) => {
    const { client } = await serving(script, {
      http: { timeoutMs: 60, retries: 0 },
      headers: { 'x-api-key': TOKEN },
    });
    const error = await failureOf(client.segments.list('default'));
    expect(shown(error)).not.toContain(TOKEN);
    expect(JSON.stringify(error)).not.toContain(TOKEN);
  });

  it('in an error of a dispatcher that shows the request', async () => {
    const dispatcher = {
      request: ({ headers }: { headers: object }) =>
        Promise.reject(
          Object.assign(new Error(`not for ${JSON.stringify(headers)}`), { headers, code: 'E_MOCK' }),
        ),
    };
    const client = new FliptClient({ auth: { token: TOKEN }, http: { dispatcher, retries: 0 } });
    const error = await failureOf(client.segments.list('default'));
    expect(shown(error)).not.toContain(TOKEN);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { code: 'E_MOCK' } });
  });

  it('that was made, but whose answer cannot be read', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, [{ clientToken: TOKEN }]);
    });
    expect(shown(await failureOf(client.tokens.create({ name: 'ci' })))).not.toContain(TOKEN);
  });
});

it('missing credentials are named when the service asks for some', async () => {
  vi.stubEnv('FLIPT_TOKENS', TOKEN);
  const { client } = await serving(
    (_, response) => {
      answerJson(response, { code: 16, message: 'request was not authenticated', details: [] }, 401);
    },
    { auth: undefined },
  );
  const { message } = await failureOf(client.segments.list('default'));
  vi.unstubAllEnvs();
  expect(message).toBe(
    'GET /api/v1/namespaces/default/segments answered 401: request was not authenticated; no credentials are configured ' +
      `(auth, ${CREDENTIAL_VARIABLES}); these variables are not read: FLIPT_TOKENS`,
  );
});
