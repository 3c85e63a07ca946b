import { describe, expect, expectTypeOf, it } from 'vitest';
import { FliptClient, type MatchType } from '../../../src/client/index.js';
import { startLocalService } from '../../../src/local/index.js';
import { PATIENT } from '../../eventually.fixture.js';
import { all, client, servedByItsOwn, service, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();

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

  it('iterates over all pages, and reads each when it is needed', async () => {
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

  it('are all listed without a limit, and iterated over 100 at a time', async () => {
    const keys = Array.from({ length: 130 }, (_, at) => `many-${at}`);
    const features = { segments: keys.map((key) => ({ key })) };
    await using many = await startLocalService({ features });
    const reader = new FliptClient({ url: many.url, http: PATIENT.http });
    const whole = { totalCount: 130, nextPageToken: '' };
    expect(await reader.segments.list('default')).toMatchObject(whole);
    const { segments, ...page } = await reader.segments.list('default', { limit: 1000 });
    expect(page).toEqual(whole);
    expect(segments.map(({ key }) => key)).toEqual(keys);
    await expect(reader.segments.list('default', { offset: 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    const before = many.requests;
    expect((await all(reader.segments.iterate('default'))).map(({ key }) => key)).toEqual(keys);
    expect(many.requests - before).toBe(2);
    expect((await all(reader.segments.iterate('default', { limit: 0 }))).length).toBe(130);
    await reader.close();
  });

  it('iterates over nothing if there is nothing', async () => {
    expect(await all(client.segments.iterate('nowhere'))).toEqual([]);
  });

  it('require all members of an update, and a match type that exists', () => {
    expectTypeOf<MatchType>().toEqualTypeOf<'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE'>();
    type Update = Parameters<FliptClient['segments']['update']>[2];
    expectTypeOf<{ name: string }>().not.toExtend<Update>();
    expectTypeOf<{ name: string; description: string; matchType: 'NOPE' }>().not.toExtend<Update>();
  });
});
