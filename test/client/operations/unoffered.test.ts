import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FliptClient } from '../../../src/client/index.js';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { BASE_FEATURES } from '../../contract/conversation.fixture.js';
import { PATIENT } from '../../eventually.fixture.js';

describe('a service without an operation', () => {
  let v2: LocalService;
  let asking: FliptClient;
  beforeAll(async () => {
    v2 = await startLocalService({ features: BASE_FEATURES, semantics: 'v2' });
    asking = new FliptClient({ url: v2.url, http: PATIENT.http });
  });
  afterAll(async () => {
    await asking.close();
    await v2.close();
  });

  it.each<[string, (c: FliptClient) => Promise<unknown>]>([
    ['tokens.create', (c) => c.tokens.create({ name: 'a' })],
    ['tokens.get', (c) => c.tokens.get('a')],
    ['rules.create', (c) => c.rules.create('default', 'banner', { segmentKey: 'beta', rank: 1 })],
    ['rules.list', (c) => c.rules.list('default', 'banner')],
    ['variants.update', (c) => c.variants.update('default', 'banner', 'a', { key: 'a' })],
    ['segments.list', (c) => c.segments.list('default')],
    ['segments.get', (c) => c.segments.get('default', 'beta')],
    ['segments.create', (c) => c.segments.create('default', { key: 'a', name: 'a' })],
    [
      'segments.update',
      (c) => c.segments.update('default', 'a', { name: 'a', description: '', matchType: 'ALL_MATCH_TYPE' }),
    ],
  ])('%s says so', async (operation, call) => {
    await expect(call(asking)).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      status: 404,
      operation,
      message: expect.stringMatching(
        new RegExp(
          `^\\w+ /\\S+ answered 404: Not Found; the service does not offer ${operation}\\. .*Flipt v2 offers evaluation\\.batch only`,
        ),
      ) as string,
    });
  });

  it('evaluates, and distinguishes an unknown environment from a missing operation', async () => {
    expect((await asking.evaluation.batch([{ flagKey: 'open' }])).responses).toHaveLength(1);
    await expect(
      asking.evaluation.batch([{ flagKey: 'open' }], { environment: 'nope' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404, operation: 'evaluation.batch' });
  });

  it('leads to a hint at the path of the url if even evaluation is missing', async () => {
    const astray = new FliptClient({ url: `${v2.url}/astray`, http: PATIENT.http });
    await expect(astray.evaluation.batch([])).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: expect.stringContaining('check the path in the option url') as string,
      url: `${v2.url}/astray/evaluate/v1/batch`,
    });
    await astray.close();
  });
});
