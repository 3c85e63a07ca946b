import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DataFileError, type LocalService } from '../../src/local/index.js';
import { featuresOf, RECORDINGS } from '../engine/recordings.fixture.js';
import { useFolder } from './folder.fixture.js';
import { ask, BASE_FEATURES, evaluate } from './requests.fixture.js';
import { OPEN, SEGMENTS, useServices } from './running.fixture.js';

const at = useFolder();
const start = useServices();

const everything = async ({ url }: LocalService) => {
  const namespaces = ['default', 'team'].map((key) => `/api/v1/namespaces/${key}`);
  const lists = namespaces.flatMap((namespace) => [`${namespace}/flags`, `${namespace}/segments`]);
  return Promise.all(lists.map(async (path) => (await ask(url, `GET ${path}`)).body));
};

describe('a service with a data file', () => {
  it.each([BASE_FEATURES, ...RECORDINGS.map(featuresOf)].map((features, index) => ({ features, index })))(
    'has the same flags and segments after a restart, with the same ids and dates: $features',
    async ({ features, index }) => {
      const data = at(`same-${index}.json`);
      const first = await start({ features, data });
      const before = await everything(first);
      await first.close();
      expect(await everything(await start({ data }))).toEqual(before);
    },
  );

  it('starts from the file if it has content, and fills it at once if it has not', async () => {
    const data = at('state.json');
    await writeFile(data, '');
    const first = await start({ features: BASE_FEATURES, data });
    const before = await ask(first.url, `GET ${SEGMENTS}`);
    await first.close();
    expect((await stat(data)).mode & 0o777).toBe(0o600);
    const second = await start({ features: { flags: [] }, data });
    expect(await ask(second.url, `GET ${SEGMENTS}`)).toMatchObject({ body: before.body });
    await second.setFlag('default', 'open', { enabled: false });
    await ask(second.url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    await second.close();
    const third = await start({ data });
    expect(await evaluate(third.url, [OPEN])).toMatchObject([{ enabled: false }]);
    expect(await ask(third.url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 200 });
    expect((await readdir(at())).filter((name) => name.startsWith('state.json'))).toEqual(['state.json']);
  });

  it('cannot start from nothing, or where it cannot write', async () => {
    const nothing = start({ data: at('nothing.json') });
    await expect(nothing).rejects.toThrow(DataFileError);
    await expect(nothing).rejects.toThrow(/does not exist yet, so features are needed/);
    const nowhere = start({ features: BASE_FEATURES, data: at('no/where.json') });
    await expect(nowhere).rejects.toThrow(DataFileError);
    await expect(nowhere).rejects.toThrow(/where\.json: cannot be written: .*ENOENT/);
    await mkdir(at('folder'));
    await expect(start({ data: at('folder') })).rejects.toThrow(/folder: cannot be read: EISDIR/);
  });

  it.each([
    ['flags: []\n', 'it is damaged, or no data file of this service'],
    ['{"format":"openfeature-flipt-provider data","version":1,"names', 'it is damaged'],
    ['{"format":"openfeature-flipt-provider data","version":1,"namespaces":[]}', 'it is damaged'],
    ['{"format":"openfeature-flipt-provider data","version":2}', 'it has version 2 of the format'],
  ])('never overwrites what it cannot read: %j', async (text, wrong) => {
    const data = at('foreign.json');
    await writeFile(data, text);
    const starting = start({ features: BASE_FEATURES, data });
    await expect(starting).rejects.toThrow(DataFileError);
    await expect(starting).rejects.toThrow(`${data}: ${wrong}`);
    await expect(starting).rejects.toThrow('is not overwritten; move it away, or name another file');
    expect(await readFile(data, 'utf8')).toBe(text);
  });

  it('writes to the target of a link, and the link stays', async () => {
    await symlink(at('target.json'), at('link.json'));
    const service = await start({ features: BASE_FEATURES, data: at('link.json') });
    await service.setFlag('default', 'open', { enabled: false });
    await service.close();
    const again = await start({ data: at('target.json') });
    expect(await evaluate(again.url, [OPEN])).toMatchObject([{ enabled: false }]);
  });

  it('answers 500 to a change that cannot be saved, is as before, and goes on', async () => {
    await mkdir(at('disk'));
    const service = await start({ features: BASE_FEATURES, data: at('disk/data.json') });
    const { url } = service;
    const create = () => ask(url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    // A folder that is missing for a while stands for every failure of a disk. The superuser may do everything else.
    await rename(at('disk'), at('away'));
    const answer = await create();
    expect(answer).toMatchObject({ status: 500, body: { code: 13, details: [] } });
    expect(answer.body.message).toMatch(/^the change was not made, because it could not be saved: .*ENOENT/);
    const setting = service.setFlag('default', 'open', { enabled: false });
    await expect(setting).rejects.toThrow(/could not be saved/);
    expect(await evaluate(url, [OPEN])).toMatchObject([{ enabled: true }]);
    expect(await ask(url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 404 });
    await rename(at('away'), at('disk'));
    expect(await create()).toMatchObject({ status: 200 });
  });

  it('makes changes that come together one after the other, and refuses only those that are wrong', async () => {
    const { url } = await start({ features: BASE_FEATURES, data: at('together.json') });
    const keys = ['a', 'b', 'a', 'c', 'b'];
    const made = await Promise.all(
      keys.map((key) => ask(url, `POST ${SEGMENTS}`, { body: { key, name: key } })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400, 400]);
  });

  it('finishes the changes in flight before it is closed', async () => {
    const data = at('closing.json');
    const service = await start({ features: BASE_FEATURES, data });
    const changes = Array.from({ length: 10 }, (_, index) =>
      service.setFlag('default', 'open', { enabled: index % 2 === 0 }),
    );
    await service.close();
    await Promise.all(changes);
    const again = await start({ data });
    expect(await evaluate(again.url, [OPEN])).toMatchObject([{ enabled: false }]);
  });
});
