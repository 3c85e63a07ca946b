import { expect, it } from 'vitest';
import { FliptClient } from '../../../src/client/index.js';
import { startLocalService } from '../../../src/local/index.js';
import { useFolder } from '../../local/folder.fixture.js';
import { all, client, servedByItsOwn, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();
const at = useFolder();

const ID = expect.any(String) as string;
const FLAG = { namespaceKey: 'default', description: '', createdAt: TIMESTAMP, updatedAt: TIMESTAMP };
const ONE = { ...FLAG, id: ID, flagKey: 'bare', key: 'one', name: '', attachment: '' };

it('lists flags with their variants, in the order of their creation', async () => {
  const { flags, totalCount, nextPageToken } = await client.flags.list('default');
  expect(flags.map(({ key }) => key)).toEqual(['banner', 'bare', 'dark', 'open', 'half']);
  expect([totalCount, nextPageToken]).toEqual([5, '']);
  const type = 'VARIANT_FLAG_TYPE';
  expect(flags[1]).toEqual({
    ...FLAG,
    key: 'bare',
    name: 'Bare',
    enabled: true,
    type,
    variants: [ONE],
    defaultVariant: ONE,
    metadata: {},
  });
  expect(flags[2]).toEqual({
    ...FLAG,
    key: 'dark',
    name: 'Dark',
    enabled: false,
    type,
    variants: [],
    metadata: {},
  });
});

it('lists a page at a time, or all of them', async () => {
  const first = await client.flags.list('default', { limit: 2 });
  const second = await client.flags.list('default', { limit: 2, pageToken: first.nextPageToken });
  expect([...first.flags, ...second.flags].map(({ key }) => key)).toEqual(['banner', 'bare', 'dark', 'open']);
  const keys = (await all(client.flags.iterate('default', { limit: 2 }))).map(({ key }) => key);
  expect(keys).toEqual(['banner', 'bare', 'dark', 'open', 'half']);
  expect(await client.flags.list('nope')).toEqual({ flags: [], nextPageToken: '', totalCount: 0 });
});

it('shows the metadata of a features file as Flipt does, also after a restart', async () => {
  // Recorded from v1.61.1. Its numbers are doubles.
  const given =
    '{team: web, n: 1, big: 9007199254740993, on: true, none: ~, flags: [1, a], deep: {constructor: c}}';
  const shown =
    '{"big":9007199254740992,"deep":{"constructor":"c"},"flags":[1,"a"],"n":1,"none":null,"on":true,"team":"web"}';
  for (const features of [`flags:\n- {key: f, description: about f, metadata: ${given}}\n`, undefined]) {
    const service = await startLocalService({ data: at('data.json'), ...(features && { features }) });
    const own = new FliptClient({ url: service.url });
    const { flags } = await own.flags.list('default');
    expect(flags).toMatchObject([{ key: 'f', description: 'about f' }]);
    expect(JSON.stringify(flags[0]?.metadata)).toBe(shown);
    await own.close();
    if (features !== undefined) await service.setFlag('default', 'f', { enabled: true });
    await service.close();
  }
});
