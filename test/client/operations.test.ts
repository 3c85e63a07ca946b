import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { FliptClient, type EvaluationResponse, type MatchType, type NewRule } from '../../src/client.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { BASE_FEATURES } from '../contract/conversation.js';

const BOOTSTRAP = 'test-bootstrap';
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;

let service: LocalService;
let client: FliptClient;

beforeAll(async () => {
  service = await startLocalService({ features: BASE_FEATURES, bootstrapToken: BOOTSTRAP });
  client = new FliptClient({ url: service.url, auth: { token: BOOTSTRAP } });
});
afterAll(async () => {
  await client.close();
  await service.close();
});

async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

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

    const scoped = new FliptClient({ url: service.url, auth: { token: clientToken } });
    expect((await scoped.segments.list('team')).totalCount).toBe(1);
    await expect(scoped.segments.list('default')).rejects.toMatchObject({
      name: 'FliptServiceError',
      status: 401,
      code: 'UNAUTHENTICATED',
      message: 'request was not authenticated',
      operation: 'segments.list',
    });
    await scoped.close();
  });

  it('tells of no expiry where there is none', async () => {
    const { authentication } = await client.tokens.create({ name: 'forever' });
    expect(authentication).not.toHaveProperty('expiresAt');
  });
});

describe('evaluation', () => {
  it('answers in the order of the requests, each by its type', async () => {
    const { requestId, responses, requestDurationMillis } = await client.evaluation.batch(
      [
        {
          namespaceKey: 'default',
          flagKey: 'banner',
          entityId: 'u1',
          context: { plan: 'pro' },
          requestId: 'one',
        },
        { flagKey: 'open' },
        { flagKey: 'nope', namespaceKey: 'team' },
      ],
      { requestId: 'batch', reference: 'main', environment: 'default' },
    );
    expect(requestId).toBe('batch');
    expect(requestDurationMillis).toBeGreaterThanOrEqual(0);
    expect(responses).toEqual([
      {
        type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
        variantResponse: {
          requestId: 'one',
          flagKey: 'banner',
          match: true,
          segmentKeys: ['beta'],
          reason: 'MATCH_EVALUATION_REASON',
          variantKey: 'red',
          variantAttachment: '{"color":"red"}',
          timestamp: TIMESTAMP,
          requestDurationMillis: expect.any(Number) as number,
        },
      },
      {
        type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
        booleanResponse: {
          requestId: '',
          flagKey: 'open',
          enabled: true,
          segmentKeys: [],
          reason: 'DEFAULT_EVALUATION_REASON',
          timestamp: TIMESTAMP,
          requestDurationMillis: expect.any(Number) as number,
        },
      },
      {
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        errorResponse: { flagKey: 'nope', namespaceKey: 'team', reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      },
    ]);
  });

  it('takes an empty batch', async () => {
    expect((await client.evaluation.batch([])).responses).toEqual([]);
  });

  it('lets the type of an answer tell which member is there', () => {
    const keyOf = (response: EvaluationResponse): string | boolean => {
      switch (response.type) {
        case 'VARIANT_EVALUATION_RESPONSE_TYPE':
          return response.variantResponse.variantKey;
        case 'BOOLEAN_EVALUATION_RESPONSE_TYPE':
          return response.booleanResponse.enabled;
        case 'ERROR_EVALUATION_RESPONSE_TYPE':
          return response.errorResponse.reason;
      }
    };
    expectTypeOf(keyOf).returns.toEqualTypeOf<string | boolean>();
  });
});

describe('segments', () => {
  it('makes, reads, changes and lists them', async () => {
    const made = await client.segments.create('default', { key: 'vip', name: 'VIP' });
    expect(made).toEqual({
      namespaceKey: 'default',
      key: 'vip',
      name: 'VIP',
      description: '',
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      constraints: [],
      matchType: 'ALL_MATCH_TYPE',
    });
    expect(await client.segments.get('default', 'vip', { reference: 'main' })).toEqual(made);

    const { name, description } = made;
    const changed = await client.segments.update('default', 'vip', {
      name,
      description,
      matchType: 'ANY_MATCH_TYPE',
    });
    expect(changed).toEqual({ ...made, matchType: 'ANY_MATCH_TYPE', updatedAt: TIMESTAMP });
    expect((await client.segments.list('default')).segments).toContainEqual(changed);
  });

  it('hands out constraints', async () => {
    const { constraints } = await client.segments.get('default', 'beta');
    expect(constraints).toEqual([
      {
        id: expect.any(String) as string,
        namespaceKey: 'default',
        segmentKey: 'beta',
        type: 'STRING_COMPARISON_TYPE',
        property: 'plan',
        operator: 'eq',
        value: 'pro',
        description: '',
        createdAt: TIMESTAMP,
        updatedAt: TIMESTAMP,
      },
    ]);
  });

  it('lists a page at a time', async () => {
    const first = await client.segments.list('default', { limit: 1 });
    expect(first.segments.map(({ key }) => key)).toEqual(['beta']);
    const second = await client.segments.list('default', { limit: 1, pageToken: first.nextPageToken });
    expect(second.segments.map(({ key }) => key)).toEqual(['staff']);
    const skipping = await client.segments.list('default', { limit: 1, offset: 1 });
    expect(skipping).toEqual(second);
  });

  it('goes through all pages, each read when it is come to', async () => {
    const keys = Array.from({ length: 7 }, (_, at) => `paged-${at}`);
    for (const key of keys) await client.segments.create('team', { key, name: key });
    const expected = ['all', ...keys];

    const before = service.requests;
    expect((await all(client.segments.iterate('team', { limit: 3 }))).map(({ key }) => key)).toEqual(
      expected,
    );
    expect(service.requests - before).toBe(3);

    for await (const { key } of client.segments.iterate('team', { limit: 3 })) if (key === 'paged-1') break;
    expect(service.requests - before).toBe(4);

    expect((await all(client.segments.iterate('team'))).map(({ key }) => key)).toEqual(expected);
    expect(service.requests - before).toBe(5);
  });

  it('goes through nothing where there is nothing', async () => {
    expect(await all(client.segments.iterate('nowhere'))).toEqual([]);
  });

  it('asks for all that an update replaces, and for a match type that exists', () => {
    expectTypeOf<MatchType>().toEqualTypeOf<'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE'>();
    type Update = Parameters<FliptClient['segments']['update']>[2];
    expectTypeOf<{ name: string }>().not.toExtend<Update>();
    expectTypeOf<{ name: string; description: string; matchType: 'NOPE' }>().not.toExtend<Update>();
  });
});

describe('rules', () => {
  it('makes rules for one segment and for several, and lists them by rank', async () => {
    const several = await client.rules.create('default', 'banner', {
      segmentKeys: ['staff', 'beta'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      rank: 3,
    });
    expect(several).toEqual({
      id: expect.any(String) as string,
      namespaceKey: 'default',
      flagKey: 'banner',
      segmentKey: '',
      segmentKeys: ['beta', 'staff'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      distributions: [],
      rank: 3,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    const one = await client.rules.create('default', 'banner', { segmentKey: 'staff', rank: 2 });
    expect(one).toMatchObject({
      segmentKey: 'staff',
      segmentKeys: [],
      segmentOperator: 'OR_SEGMENT_OPERATOR',
    });

    const { rules, totalCount, nextPageToken } = await client.rules.list('default', 'banner');
    expect({ totalCount, nextPageToken }).toEqual({ totalCount: 3, nextPageToken: '' });
    expect(rules.slice(1)).toEqual([one, several]);
    expect(rules[0]?.distributions[0]).toEqual({
      id: expect.any(String) as string,
      ruleId: rules[0]?.id,
      variantId: expect.any(String) as string,
      rollout: 100,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    expect((await client.rules.list('default', 'banner', { limit: 1, offset: 2 })).rules).toEqual([several]);
    expect(await all(client.rules.iterate('default', 'banner', { limit: 1 }))).toEqual(rules);
    expect(await all(client.rules.iterate('default', 'banner'))).toEqual(rules);
  });

  it('asks for one segment or several, never for none or both', () => {
    expectTypeOf<{ segmentKey: string; rank: number }>().toExtend<NewRule>();
    expectTypeOf<{ segmentKeys: readonly string[]; rank: number }>().toExtend<NewRule>();
    expectTypeOf<{ rank: number }>().not.toExtend<NewRule>();
    expectTypeOf<{ segmentKey: string; segmentKeys: string[]; rank: number }>().not.toExtend<NewRule>();
    expectTypeOf<{ segmentKey: string }>().not.toExtend<NewRule>();
  });
});

describe('variants', () => {
  it('replaces a variant, which the next evaluation sees', async () => {
    const { rules } = await client.rules.list('default', 'banner');
    const id = rules[0]?.distributions[0]?.variantId ?? '';
    const attachment = JSON.stringify({ color: 'crimson' });
    const variant = await client.variants.update('default', 'banner', id, {
      key: 'red',
      name: 'Red 2',
      attachment,
    });
    expect(variant).toEqual({
      id,
      namespaceKey: 'default',
      flagKey: 'banner',
      key: 'red',
      name: 'Red 2',
      description: '',
      attachment,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    const { responses } = await client.evaluation.batch([{ flagKey: 'banner', context: { plan: 'pro' } }]);
    expect(responses[0]?.variantResponse?.variantAttachment).toBe(attachment);
  });
});

describe('parts of a path', () => {
  it.each(['..', '.', 'a/b', 'a b', 'é', '%2F', 'a?b#c', 'a;b&c+d', '$&', '{key}'])(
    'carries %j as it is',
    async (key) => {
      await expect(client.segments.get('default', key)).rejects.toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        message: `segment "default/${key}" not found`,
        url: expect.stringContaining(service.url) as string,
      });
    },
  );

  it.each([
    ['', "key: expected text, got ''"],
    [undefined, 'key: expected text, got undefined'],
    ['\ud800', 'key: expected well-formed Unicode, got a lone surrogate'],
  ])('refuses %j, and asks nobody', async (key, message) => {
    const before = service.requests;
    await expect(client.segments.get('default', key as string)).rejects.toThrow(new TypeError(message));
    expect(service.requests).toBe(before);
  });

  it('names the part that is wrong', async () => {
    await expect(client.rules.list('', 'banner')).rejects.toThrow('namespace: expected text');
    await expect(client.rules.create('default', '', { segmentKey: 'beta', rank: 1 })).rejects.toThrow(
      'flag: ',
    );
    await expect(client.variants.update('default', 'banner', '', { key: 'a' })).rejects.toThrow('id: ');
    await expect(client.tokens.get('')).rejects.toThrow('id: ');
    await expect(client.segments.iterate('').next()).rejects.toThrow('namespace: ');
  });
});

describe('a service without an operation', () => {
  let v2: LocalService;
  let asking: FliptClient;
  beforeAll(async () => {
    v2 = await startLocalService({ features: BASE_FEATURES, semantics: 'v2' });
    asking = new FliptClient({ url: v2.url });
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
          `does not offer ${operation} \\(it answered 404: Not Found\\)\\. .*Flipt v2 serves evaluation only`,
        ),
      ) as string,
    });
  });

  it('evaluates, and tells an unknown environment from a missing operation', async () => {
    expect((await asking.evaluation.batch([{ flagKey: 'open' }])).responses).toHaveLength(1);
    await expect(
      asking.evaluation.batch([{ flagKey: 'open' }], { environment: 'nope' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404, operation: 'evaluation.batch' });
  });

  it('is suspected of a wrong path where not even evaluation is there', async () => {
    const astray = new FliptClient({ url: `${v2.url}/astray` });
    await expect(astray.evaluation.batch([])).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: expect.stringContaining('check the path in the option url') as string,
      url: `${v2.url}/astray/evaluate/v1/batch`,
    });
    await astray.close();
  });
});
