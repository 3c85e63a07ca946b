import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStore } from '../../src/stores/file-store.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flipt-store-'));
  path = join(folder, 'snapshot');
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file as a store', () => {
  it('has nothing before the first save', async () => {
    expect(await fileStore(path).load()).toBeUndefined();
  });

  it('gives back what was saved last, to another process too', async () => {
    await fileStore(path).save('one');
    await fileStore(path).save('two');
    expect(await fileStore(path).load()).toBe('two');
    expect(await readdir(folder)).toEqual(['snapshot']);
  });

  it.runIf(process.platform !== 'win32')('can be read only by its owner', async () => {
    await fileStore(path).save('text');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.platform !== 'win32')('may be a link, which stays: its target is replaced', async () => {
    const target = join(folder, 'elsewhere', 'target');
    await mkdir(dirname(target));
    await symlink(target, join(folder, 'middle'));
    await symlink('middle', path);
    for (const text of ['before the target is there', 'after']) {
      await fileStore(path).save(text);
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
      expect(await readFile(target, 'utf8')).toBe(text);
      expect(await fileStore(path).load()).toBe(text);
    }
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(target))).toEqual(['target']);
    const leftover = `${target}.0123456789abcdef.tmp`;
    await writeFile(leftover, 'half');
    await utimes(leftover, new Date(0), new Date(0));
    await fileStore(path).load();
    expect(await readdir(dirname(target)), 'beside the target, too').toEqual(['target']);
  });

  it.runIf(process.platform !== 'win32')('rejects if it is a circle of links', async () => {
    await symlink('snapshot', path);
    await expect(fileStore(path).save('text')).rejects.toThrow('ELOOP');
  });

  it('rejects if it cannot be written, and keeps what it had', async () => {
    await expect(fileStore(join(folder, 'missing', 'snapshot')).save('text')).rejects.toThrow('ENOENT');
    await expect(fileStore(folder).load()).rejects.toThrow('EISDIR');
  });

  it('removes what a killed process has left behind, and nothing that another one may still write', async () => {
    const old = `${path}.0123456789abcdef.tmp`;
    const young = `${path}.fedcba9876543210.tmp`;
    for (const leftover of [old, young]) await writeFile(leftover, 'half');
    await utimes(old, new Date(0), new Date(0));
    await fileStore(path).load();
    expect(await readdir(folder)).toEqual(['snapshot.fedcba9876543210.tmp']);
    expect(await readFile(young, 'utf8')).toBe('half');
  });
});
