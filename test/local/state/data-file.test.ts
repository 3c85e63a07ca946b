import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DataFileError, openDataFile, readState, writeState } from '../../../src/local/state/data-file.js';
import { readFeatures } from '../../../src/features/read-features.js';
import type { State } from '../../../src/local/state/state.js';
import { featuresOf, RECORDINGS } from '../../engine/recordings.fixture.js';
import { useFolder } from '../folder.fixture.js';
import { BASE_FEATURES, fixedStamp } from '../requests.fixture.js';

const at = useFolder();

async function someState(features: URL = BASE_FEATURES): Promise<State> {
  const namespaces = await readFeatures(features, 'v1', fixedStamp());
  const dates = { createdAt: '2024-01-01T00:00:00Z', updatedAt: '2024-01-01T00:00:00Z' };
  const tokens = [
    { id: '1', hash: 'h', metadata: { a: 'b' }, ...dates },
    { id: '2', hash: 'i', metadata: {}, namespaceKey: 'team', expiresAt: '2030-01-01T00:00:00Z', ...dates },
  ];
  return { namespaces, tokens: new Map(tokens.map((token) => [token.id, token])) };
}

const empty: State = { namespaces: new Map(), tokens: new Map() };

function sealed(body: string, header: object = {}): string {
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${JSON.stringify({ format: 'openfeature-flipt-provider data', version: 1, sha256, ...header })}\n${body}\n`;
}

describe("a data file's text", () => {
  it.each([BASE_FEATURES, ...RECORDINGS.map(featuresOf)])(
    'gives back what was written: %s',
    async (features) => {
      const state = await someState(features);
      expect(readState(writeState(state))).toEqual(state);
    },
  );

  it.each([
    ['', 'it is not a data file of this service'],
    ['flags: []\n', 'it is not a data file of this service'],
    ['{"format":"something else"}\n{}\n', 'it is not a data file of this service'],
    [sealed('{}', { version: 2 }), 'it has version 2 of the format, this service reads version 1'],
    [sealed('{"namespaces":[]}'), 'it does not have the content of a data file of this service'],
    [sealed('no JSON'), 'it does not have the content of a data file of this service'],
    [sealed('{}', { sha256: '' }), 'it is damaged: its checksum does not match its content'],
  ])('is refused: %j', (text, wrong) => {
    expect(readState(text)).toEqual({ wrong });
  });

  it('is refused when cut short anywhere, or with any letter changed', async () => {
    const text = writeState(await someState());
    for (let length = 0; length < text.length - 1; length += 97) {
      expect(readState(text.slice(0, length)), `cut at ${length}`).toHaveProperty('wrong');
    }
    for (let position = 0; position < text.length - 1; position += 97) {
      const changed = `${text.slice(0, position)}~${text.slice(position + 1)}`;
      expect(readState(changed), `changed at ${position}`).toHaveProperty('wrong');
    }
  });
});

describe('a data file', () => {
  it('need not exist, and holds what was saved last', async () => {
    const path = at('new.json');
    const file = await openDataFile(path);
    expect(file.state).toBeUndefined();
    await file.save(empty);
    const state = await someState();
    await file.save(state);
    expect((await openDataFile(path)).state).toEqual(state);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(at())).filter((name) => name.startsWith('new.json'))).toEqual(['new.json']);
  });

  it.each([
    ['flags: []\n', 'it was not written by this package'],
    [sealed('{}', { sha256: '' }), 'it is damaged: its checksum does not match its content'],
  ])('is left as it is when it is damaged or foreign: %j', async (text, wrong) => {
    const path = at('foreign.json');
    await writeFile(path, text);
    await expect(openDataFile(path)).rejects.toThrow(DataFileError);
    await expect(openDataFile(path)).rejects.toThrow(
      `${path}: ${wrong}, and is not overwritten; move it away, or name another file`,
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('may be empty, and is then filled', async () => {
    const path = at('empty.json');
    await writeFile(path, '');
    const file = await openDataFile(path);
    expect(file.state).toBeUndefined();
    await file.save(empty);
    expect((await openDataFile(path)).state).toEqual(empty);
  });

  it('cannot be a folder, or in a folder that is missing', async () => {
    await mkdir(at('folder'));
    await expect(openDataFile(at('folder'))).rejects.toThrow(
      /folder: it is not a file, and is not overwritten/,
    );
    const nowhere = await openDataFile(at('nowhere/data.json'));
    await expect(nowhere.save(empty)).rejects.toThrow(/could not be saved: ENOENT/);
    await writeFile(at('file'), '');
    await expect(openDataFile(at('file/data.json'))).rejects.toThrow(/cannot be read: ENOTDIR/);
  });

  it('may be the target of a link, which stays', async () => {
    const path = at('linked.json');
    await (await openDataFile(path)).save(empty);
    await symlink(path, at('link.json'));
    const linked = await openDataFile(at('link.json'));
    const state = await someState();
    await linked.save(state);
    expect((await openDataFile(path)).state).toEqual(state);
    expect(await readFile(at('link.json'), 'utf8')).toBe(await readFile(path, 'utf8'));
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['written', (path) => writeFile(path, 'mine')],
    ['replaced', (path) => writeFile(`${path}.mine`, 'mine').then(() => rename(`${path}.mine`, path))],
    ['removed', (path) => rm(path)],
  ])('that another process has %s is not overwritten', async (what, change) => {
    const path = at(`${what}.json`);
    const file = await openDataFile(path);
    await file.save(empty);
    await change(path);
    const save = file.save(await someState());
    await expect(save).rejects.toMatchObject({ name: 'SaveError', made: false });
    await expect(save).rejects.toThrow(/another process has changed .*, which is not overwritten/);
    expect(await readFile(path, 'utf8').catch(() => 'gone')).toBe(what === 'removed' ? 'gone' : 'mine');
    expect((await readdir(at())).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('that another process has made meanwhile is not overwritten', async () => {
    const path = at('made.json');
    const file = await openDataFile(path);
    await writeFile(path, 'mine');
    await expect(file.save(empty)).rejects.toThrow(/another process has changed/);
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('is as before when it cannot be written', async () => {
    const path = at('locked/data.json');
    await mkdir(at('locked'));
    const file = await openDataFile(path);
    await file.save(empty);
    const before = await readFile(path, 'utf8');
    // A folder that is missing for a while stands for every failure of a disk. The superuser may do everything else.
    await rename(at('locked'), at('away'));
    await expect(file.save(await someState())).rejects.toThrow(
      /^the change was not made, because it could not be saved: /,
    );
    await rename(at('away'), at('locked'));
    expect(await readFile(path, 'utf8')).toBe(before);
    await file.save(empty);
  });

  it('is reported if there is no permission', async () => {
    const path = at('forbidden/data.json');
    await mkdir(at('forbidden'));
    const file = await openDataFile(path);
    await chmod(at('forbidden'), 0o500);
    // The superuser may write everywhere.
    const expected = process.getuid?.() === 0 ? /^saved$/ : /could not be saved: EACCES/;
    expect(await file.save(empty).then(() => 'saved', String)).toMatch(expected);
    await chmod(at('forbidden'), 0o700);
  });

  it('is cleared of what a killed process left behind, and of nothing else', async () => {
    const path = at('left.json');
    const others = [
      'left.json.backup',
      'left.json.0123456789abcdef.tmp.mine',
      'other.json.0123456789abcdef.tmp',
    ];
    for (const name of [...others, 'left.json.0123456789abcdef.tmp']) await writeFile(at(name), '');
    await openDataFile(path);
    const names = await readdir(at());
    expect(names).toEqual(expect.arrayContaining(others));
    expect(names).not.toContain('left.json.0123456789abcdef.tmp');
    for (const name of others) await rm(at(name));
  });
});
