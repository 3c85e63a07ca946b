import { describe, expect, it } from 'vitest';
import { FliptClient } from '../../../src/client/index.js';
import { PATIENT } from '../../eventually.fixture.js';
import { client, servedByItsOwn, service, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();

describe('tokens', () => {
  it('makes a token that the service then takes, and reads its record', async () => {
    const { clientToken, authentication } = await client.tokens.create({
      name: 'ci',
      description: 'for ci',
      namespaceKey: 'team',
      expiresAt: '2100-01-01T00:00:00Z',
      metadata: { constructor: 'web' },
    });
    expect(authentication).toEqual({
      id: expect.any(String) as string,
      method: 'METHOD_TOKEN',
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      expiresAt: '2100-01-01T00:00:00Z',
      metadata: {
        constructor: 'web',
        'io.flipt.auth.token.name': 'ci',
        'io.flipt.auth.token.description': 'for ci',
        'io.flipt.auth.token.namespace': 'team',
      },
    });
    expect(await client.tokens.get(authentication.id)).toEqual(authentication);

    const scoped = new FliptClient({ url: service.url, auth: { token: clientToken }, http: PATIENT.http });
    expect((await scoped.segments.list('team')).totalCount).toBe(1);
    await expect(scoped.segments.list('default')).rejects.toMatchObject({
      name: 'FliptServiceError',
      status: 401,
      code: 'UNAUTHENTICATED',
      message:
        'GET /api/v1/namespaces/default/segments answered 401: request was not authenticated; check the option auth',
      operation: 'segments.list',
    });
    await scoped.close();
  });

  it('has no expiresAt if the token does not expire', async () => {
    const { authentication } = await client.tokens.create({ name: 'forever' });
    expect(authentication).not.toHaveProperty('expiresAt');
  });
});
