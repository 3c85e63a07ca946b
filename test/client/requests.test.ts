import { describe, expect, it } from 'vitest';
import { FliptClient, type ConnectionOptions, type HttpDispatcher } from '../../src/client/index.js';
import { PATIENT } from '../eventually.fixture.js';
import { answerJson, scriptedServer } from '../servers/scripted.fixture.js';
import { atEnd, EMPTY_BATCH, failureOf, SEGMENT, serving, TOKEN } from './serving.fixture.js';

describe('what is sent', () => {
  it('goes below the base address, with body, token and headers', async () => {
    const server = await scriptedServer((_, response) => {
      answerJson(response, SEGMENT);
    });
    atEnd(server.close);
    const url = `${server.url}/flipt/`;
    const headers = { 'x-team': 'web' };
    const client = new FliptClient({ url, auth: { token: TOKEN }, headers, http: PATIENT.http });
    atEnd(() => client.close());
    await client.segments.create('a/b', { key: 'beta', name: 'é', description: undefined });
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/flipt/api/v1/namespaces/a%2Fb/segments',
        headers: expect.objectContaining({
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          'x-team': 'web',
        }) as object,
        body: '{"key":"beta","name":"é"}',
      },
    ]);
  });

  it.each([
    ['...', '...'],
    ['a b?#%', 'a%20b%3F%23%25'],
    ['é', '%C3%A9'],
  ])('has %j in a path as %s', async (key, encoded) => {
    const { client, server } = await serving((_, response) => {
      answerJson(response, SEGMENT);
    });
    await client.segments.get(key, key, { reference: 'a b&c' });
    expect(server.requests[0]?.path).toBe(
      `/api/v1/namespaces/${encoded}/segments/${encoded}?reference=a+b%26c`,
    );
  });

  it.each<[string, NonNullable<ConnectionOptions['auth']>, string]>([
    ['a token', { token: 'dummy-token' }, 'Bearer dummy-token'],
    ['a function', { headers: () => ({ AUTHORIZATION: 'Custom dummy' }) }, 'Custom dummy'],
  ])('has one header of each name, in any letter case: that of auth, here %s', async (_, auth, sent) => {
    const seen: (readonly string[])[] = [];
    const request: HttpDispatcher['request'] = ({ headers }) => {
      seen.push(Object.keys(headers), [headers.authorization ?? '']);
      return Promise.reject(new Error('sent'));
    };
    const client = new FliptClient({
      auth,
      headers: { Authorization: 'Bearer other' },
      http: { dispatcher: { request }, retries: 0 },
    });
    await failureOf(client.segments.list('default'));
    expect(seen).toEqual([['accept', 'user-agent', 'authorization'], [sent]]);
  });

  it('evaluates with the call’s options, else with the client’s', async () => {
    const { client, server } = await serving(
      (_, response) => {
        answerJson(response, EMPTY_BATCH);
      },
      { environment: 'production', reference: 'main' },
    );
    await client.evaluation.batch([]);
    await client.evaluation.batch([], { environment: 'staging', reference: 'next', requestId: 'r' });
    expect(server.requests.map(({ headers }) => headers['x-flipt-environment'])).toEqual([
      'production',
      'staging',
    ]);
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { requests: [], reference: 'main' },
      { requests: [], reference: 'next', requestId: 'r' },
    ]);
  });

  it('has no environment that would forge a header', async () => {
    const { client, server } = await serving(() => undefined);
    await expect(client.evaluation.batch([], { environment: 'a\r\nb: c' })).rejects.toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });
});
