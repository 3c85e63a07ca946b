import { execFileSync } from 'node:child_process';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it, vi } from 'vitest';
import {
  bytesIfThere,
  NotSyncedError,
  replaceableBeginning,
  replaceFile,
} from '../../../src/base/files/durable-file.js';
import { fingerprint } from '../../../src/base/files/fingerprint.js';
import { useFolder } from '../../local/folder.fixture.js';

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

it.runIf(process.platform !== 'win32').each<[string, (path: string) => Promise<unknown>]>([
  ['all of it', (path) => bytesIfThere(path, 1_000)],
  ['its beginning', (path) => replaceableBeginning(path, () => true)],
])('does not wait for a pipe that takes the place of a file while it is read: %s', async (what, read) => {
  const [file, pipe] = [at('file'), at(`pipe for ${what}`)];
  await writeFile(file, 'text');
  execFileSync('mkfifo', [pipe]);
  const stats = await stat(file);
  vi.mocked(stat).mockResolvedValueOnce(stats);
  await expect(read(pipe)).rejects.toThrow('it is not a file');
});

it.runIf(process.platform === 'linux')(
  'reads no more than the limit of a file that is longer than its size, and all of it within the limit',
  async () => {
    const path = '/proc/self/status';
    expect((await stat(path)).size).toBe(0);
    await expect(bytesIfThere(path, 100)).rejects.toThrow('it has more than 100 bytes');
    expect((await bytesIfThere(path, 100_000))?.toString().split('\n')[0]).toMatch(/^Name:\s/);
  },
);
