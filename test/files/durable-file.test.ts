import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it, vi } from 'vitest';
import { NotSyncedError, replaceFile } from '../../src/files/durable-file.js';
import { fingerprint } from '../../src/files/fingerprint.js';
import { useFolder } from '../local/folder.fixture.js';

vi.mock('node:fs/promises', { spy: true });

const at = useFolder();

it('replaces the text, and only the owner may read it', async () => {
  const path = at('replaced');
  await writeFile(path, 'old', { mode: 0o644 });
  const written = await replaceFile(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await fingerprint(path)).toBe(written);
});

it('keeps the old text when the check rejects, and leaves nothing behind', async () => {
  const path = at('kept');
  await writeFile(path, 'old');
  const check = async (): Promise<void> => {
    expect(await readFile(path, 'utf8')).toBe('old');
    throw new Error('not now');
  };
  await expect(replaceFile(path, 'new', check)).rejects.toThrow('not now');
  expect(await readFile(path, 'utf8')).toBe('old');
  expect((await readdir(at())).filter((name) => name.startsWith('kept'))).toEqual(['kept']);
});

it.runIf(process.platform !== 'win32')(
  'says which version the file has if only the folder could not be synced',
  async () => {
    const path = at('unsure');
    const { open: openFile } = await vi.importActual<typeof fs>('node:fs/promises');
    vi.mocked(open).mockImplementation(async (...args) => {
      const file = await openFile(...args);
      if (args[0] === dirname(path)) vi.spyOn(file, 'sync').mockRejectedValue(new Error('EIO'));
      return file;
    });
    const error: unknown = await replaceFile(path, 'new').catch((reason: unknown) => reason);
    vi.mocked(open).mockReset();
    expect(error).toBeInstanceOf(NotSyncedError);
    expect(error).toMatchObject({ message: 'EIO', written: await fingerprint(path) });
    expect(await readFile(path, 'utf8')).toBe('new');
  },
);
