import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DataFileError } from '../../../src/local/index.js';
import { useFolder } from '../folder.fixture.js';
import { ask, BASE_FEATURES, evaluate } from '../requests.fixture.js';
import { OPEN, SEGMENTS, useServices } from '../running.fixture.js';

const at = useFolder();
const start = useServices();

describe('a service with a data file', () => {
  it('starts from the file if it exists, and writes it at once if it does not', async () => {
    const data = at('state.json');
    const first = await start({ features: BASE_FEATURES, data });
    const before = await ask(first.url, `GET ${SEGMENTS}`);
    await first.close();
    const second = await start({ features: { flags: [] }, data });
    expect(await ask(second.url, `GET ${SEGMENTS}`)).toMatchObject({ body: before.body });
    await second.setFlag('default', 'open', { enabled: false });
    await ask(second.url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    await second.close();
    const third = await start({ data });
    expect(await evaluate(third.url, [OPEN])).toMatchObject([{ enabled: false }]);
    expect(await ask(third.url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 200 });
  });

  it('cannot start from nothing, nor from a damaged file', async () => {
    await expect(start({ data: at('nothing.json') })).rejects.toThrow(DataFileError);
    await expect(start({ data: at('nothing.json') })).rejects.toThrow(
      /does not exist yet, so features are needed/,
    );
    const nowhere = start({ features: BASE_FEATURES, data: at('no/where.json') });
    await expect(nowhere).rejects.toThrow(DataFileError);
    await expect(nowhere).rejects.toThrow(/where\.json: cannot be written: ENOENT/);
    await writeFile(at('damaged.json'), 'damaged');
    await expect(start({ features: BASE_FEATURES, data: at('damaged.json') })).rejects.toThrow(DataFileError);
    expect(await readFile(at('damaged.json'), 'utf8')).toBe('damaged');
  });

  it('answers 500 to a change while another process has changed the file, and still evaluates as before', async () => {
    const data = at('contested.json');
    const service = await start({ features: BASE_FEATURES, data });
    const { url } = service;
    await writeFile(data, 'mine');
    const answer = await ask(url, `POST ${SEGMENTS}`, { body: { key: 'made', name: 'Made' } });
    expect(answer).toMatchObject({ status: 500, body: { code: 13, details: [] } });
    expect(answer.body.message).toMatch(/another process has changed/);
    await expect(service.setFlag('default', 'open', { enabled: false })).rejects.toThrow(
      /another process has changed/,
    );
    expect(await evaluate(url, [OPEN])).toMatchObject([{ enabled: true }]);
    expect(await ask(url, `GET ${SEGMENTS}/made`)).toMatchObject({ status: 404 });
    expect(await readFile(data, 'utf8')).toBe('mine');
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
