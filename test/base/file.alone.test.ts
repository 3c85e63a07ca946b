import type * as Files from 'node:fs/promises';
import { chmod, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { bytesIfThere, replaceFile } from '../../src/base/file.js';
import { useFolder } from '../local/folder.fixture.js';

vi.mock('node:fs/promises', { spy: true });

const at = useFolder();
const namesOf = async (file: string) => (await readdir(at())).filter((name) => name.startsWith(file));

it('replaces the text, and only the owner may read it', async () => {
  const path = at('replaced');
  await writeFile(path, 'old', { mode: 0o644 });
  await replaceFile(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await namesOf('replaced')).toEqual(['replaced']);
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it.runIf(process.platform !== 'win32')('keeps the mode of the old file where it is asked to', async () => {
  const path = at('shared');
  await writeFile(path, 'old');
  await chmod(path, 0o666);
  await replaceFile(path, 'new', { mode: 0o644, keepsMode: true });
  expect((await stat(path)).mode & 0o777).toBe(0o666);
});

it.runIf(process.platform !== 'win32')('has the old text until the new one is on disk whole', async () => {
  const path = at('crashed');
  await writeFile(path, 'old');
  const { open: openFile, rename: renameFile } = await vi.importActual<typeof Files>('node:fs/promises');
  const steps: string[] = [];
  vi.mocked(open).mockImplementation(async (name, ...how) => {
    const file = await openFile(name, ...how);
    const sync = file.sync.bind(file);
    file.sync = async () => {
      await sync();
      steps.push(`${name === at() ? 'the folder' : await readFile(name, 'utf8')} on disk`);
    };
    return file;
  });
  vi.mocked(rename).mockImplementationOnce(async (from, to) => {
    steps.push(`${await readFile(path, 'utf8')} until then`);
    await renameFile(from, to);
  });
  await replaceFile(path, 'new');
  expect(steps).toEqual(['new on disk', 'old until then', 'the folder on disk']);
  vi.mocked(open).mockImplementation(openFile);
  expect(await readFile(path, 'utf8')).toBe('new');
});

it.each<[string, string, () => Promise<void>]>([
  ['a check that rejects', 'not now', () => Promise.reject(new Error('not now'))],
  [
    'a file that is mounted by itself',
    'mount its folder instead',
    async () => {
      vi.mocked(rename).mockRejectedValueOnce(Object.assign(new Error('EBUSY'), { code: 'EBUSY' }));
    },
  ],
  [
    'a disk that fails',
    'EIO',
    async () => {
      vi.mocked(rename).mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
    },
  ],
])('keeps the old text, and leaves nothing behind: %s', async (_, message, check) => {
  const path = at('kept');
  await writeFile(path, 'old');
  await expect(replaceFile(path, 'new', { check })).rejects.toThrow(message);
  expect(await readFile(path, 'utf8')).toBe('old');
  expect(await namesOf('kept')).toEqual(['kept']);
});

it('gives each text whole to those who write the same file at once', async () => {
  const path = at('contested');
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(100_000));
  await Promise.all(texts.map((text) => replaceFile(path, text)));
  expect(texts).toContain(await readFile(path, 'utf8'));
  expect(await namesOf('contested')).toEqual(['contested']);
});

it('reads no file that is too large, and nothing that is no file', async () => {
  const path = at('read');
  await writeFile(path, 'text');
  expect((await bytesIfThere(path, 4))?.toString()).toBe('text');
  await expect(bytesIfThere(path, 3)).rejects.toThrow('it has more than 3 bytes');
  await expect(bytesIfThere(at(), 100)).rejects.toThrow('it is a folder, a pipe or a device');
  expect(await bytesIfThere(at('missing'), 100)).toBeUndefined();
});
