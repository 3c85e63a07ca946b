import { describe, expect, it } from 'vitest';
import type { FeaturesDocument, LocalService } from '../../../src/local/index.js';
import { useFolder } from '../folder.fixture.js';
import { ask, BASE_FEATURES } from '../requests.fixture.js';
import { SEGMENTS, useServices } from '../running.fixture.js';
import { snapshot } from './snapshots.fixture.js';

const at = useFolder();
const start = useServices();
const FLAG = '/api/v1/namespaces/default/flags/banner';

async function tag({ url }: LocalService, namespace?: string): Promise<string | null> {
  return (await snapshot(url, namespace)).etag;
}

async function changed(service: LocalService, where: string, body: unknown): Promise<void> {
  const answer = await ask(service.url, where, { body });
  expect(answer).toMatchObject({ status: 200 });
}

const renamed = (name: string): FeaturesDocument => ({ flags: [{ key: 'banner', name }] });

describe('the tag of v1', () => {
  it('changes with every write to its namespace, even with one that changes nothing', async () => {
    const service = await start();
    const rules = await ask(service.url, `GET ${FLAG}/rules`);
    const [rule] = rules.body.rules as { distributions: { variantId: string }[] }[];
    const variant = `PUT ${FLAG}/variants/${rule?.distributions[0]?.variantId ?? ''}`;
    const writes: (() => Promise<void>)[] = [
      () => service.setFlag('default', 'open', { enabled: false }),
      () => service.setFlag('default', 'open', { enabled: false }),
      () => changed(service, `POST ${SEGMENTS}`, { key: 'made', name: 'Made' }),
      () => changed(service, `PUT ${SEGMENTS}/made`, { name: 'Made' }),
      () => changed(service, `POST ${FLAG}/rules`, { segmentKey: 'made', rank: 7 }),
      () => changed(service, variant, { key: 'red' }),
      () => service.load(BASE_FEATURES),
      () => service.load({}),
      () => service.load({}),
    ];
    const tags = [await tag(service)];
    for (const write of writes) {
      await write();
      tags.push(await tag(service));
    }
    expect(tags).not.toContain(null);
    expect(new Set(tags).size).toBe(writes.length + 1);
  });

  it('stays with reads, refused changes and changes of other namespaces', async () => {
    const service = await start();
    const before = await tag(service);
    await ask(service.url, `GET ${SEGMENTS}`);
    await ask(service.url, `POST ${SEGMENTS}`, { body: {} });
    await ask(service.url, 'POST /auth/v1/method/token', { body: { name: 'x' } });
    const other = await tag(service, 'team');
    await changed(service, 'POST /api/v1/namespaces/team/segments', { key: 'made', name: 'Made' });
    expect(await tag(service)).toBe(before);
    expect(await tag(service, 'team')).not.toBe(other);
  });

  it('is missing while nothing was ever written', async () => {
    const service = await start({ features: {} });
    expect(await tag(service)).toBeNull();
    await changed(service, `POST ${SEGMENTS}`, { key: 'made', name: 'Made' });
    expect(await tag(service)).not.toBeNull();
  });

  it('survives a restart with a data file', async () => {
    const data = at('data.json');
    const first = await start({ features: BASE_FEATURES, data });
    await first.setFlag('default', 'open', { enabled: false });
    const before = await snapshot(first.url);
    await first.close();
    expect(await snapshot((await start({ data })).url)).toEqual(before);
  });
});

describe('the tag of v2', () => {
  it('depends only on what evaluation reads', async () => {
    const service = await start({ features: renamed('One'), semantics: 'v2' });
    const before = await tag(service);
    await service.load(renamed('Two'));
    expect(await tag(service)).toBe(before);
    await service.setFlag('default', 'banner', { enabled: true });
    expect(await tag(service)).not.toBe(before);
    await service.setFlag('default', 'banner', { enabled: false });
    expect(await tag(service)).toBe(before);
  });

  it('changes with a segment that a rule uses', async () => {
    const features = (value: string): FeaturesDocument => ({
      flags: [{ key: 'banner', rules: [{ segment: 's' }] }],
      segments: [
        {
          key: 's',
          constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value }],
        },
      ],
    });
    const service = await start({ features: features('pro'), semantics: 'v2' });
    const before = await tag(service);
    await service.load(features('free'));
    expect(await tag(service)).not.toBe(before);
  });
});
