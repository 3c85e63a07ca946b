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
import { fileStore, LONG_BYTES } from '../../../src/snapshot/stores/file-store.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flipt-store-'));
  path = join(folder, 'snapshot');
});
afterEach(() => rm(folder, { recursive: true }));

/** In these tests, a text begins with `ours`, then the place that it is of. */
const textOf = async (store: ReturnType<typeof fileStore>) => (await store.load())?.toString();
const storeOf = (at: string, place = 'here') =>
  fileStore(at, {
    isOurs: (beginning) => beginning.startsWith('ours'),
    otherPlace: (beginning) => (beginning.startsWith(`ours ${place}`) ? undefined : 'it is of elsewhere'),
  });

describe('a file as a store', () => {
  it('has nothing before the first save', async () => {
    expect(await storeOf(path).load()).toBeUndefined();
  });

  it('gives back what was saved last, to another process too', async () => {
    await storeOf(path).save('ours here one');
    await storeOf(path).save('ours here two');
    expect(await textOf(storeOf(path))).toBe('ours here two');
    expect(await readdir(folder)).toEqual(['snapshot']);
  });

  it('gives the beginning of a long text alone, and none of a short one', async () => {
    expect(await storeOf(path).beginning()).toBeUndefined();
    await storeOf(path).save(`ours here${'.'.repeat(LONG_BYTES - 'ours here'.length)}`);
    expect(await storeOf(path).beginning()).toBeUndefined();
    await storeOf(path).save(`ours here${'.'.repeat(LONG_BYTES)}`);
    const beginning = await storeOf(path).beginning();
    expect(beginning).toMatch(/^ours here\.+$/);
    expect(beginning?.length).toBeLessThan(LONG_BYTES);
  });

  it.runIf(process.platform !== 'win32')('can be read only by its owner', async () => {
    await storeOf(path).save('ours here');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.platform !== 'win32')('may be a link, which stays: its target is replaced', async () => {
    const target = join(folder, 'elsewhere', 'target');
    await mkdir(dirname(target));
    await symlink(target, join(folder, 'middle'));
    await symlink('middle', path);
    for (const text of ['ours here, before the target is there', 'ours here, after']) {
      await storeOf(path).save(text);
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
      expect(await readFile(target, 'utf8')).toBe(text);
      expect(await textOf(storeOf(path))).toBe(text);
    }
    expect((await stat(target)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(target))).toEqual(['target']);
    const leftover = `${target}.0123456789abcdef.tmp`;
    await writeFile(leftover, 'half');
    await utimes(leftover, new Date(0), new Date(0));
    await storeOf(path).load();
    expect(await readdir(dirname(target)), 'beside the target, too').toEqual(['target']);
  });

  it.runIf(process.platform !== 'win32')('rejects if it is a circle of links', async () => {
    await symlink('snapshot', path);
    await expect(storeOf(path).save('ours here')).rejects.toThrow('ELOOP');
  });

  it('rejects if it cannot be written, and keeps what it had', async () => {
    await expect(storeOf(join(folder, 'missing', 'snapshot')).save('ours here')).rejects.toThrow('ENOENT');
    await expect(storeOf(folder).load()).rejects.toThrow('it is not a file');
  });

  it('removes what a killed process has left behind, and nothing that another one may still write', async () => {
    const old = `${path}.0123456789abcdef.tmp`;
    const young = `${path}.fedcba9876543210.tmp`;
    for (const leftover of [old, young]) await writeFile(leftover, 'half');
    await utimes(old, new Date(0), new Date(0));
    await storeOf(path).load();
    expect(await readdir(folder)).toEqual(['snapshot.fedcba9876543210.tmp']);
    expect(await readFile(young, 'utf8')).toBe('half');
  });

  it.each(['flags: []', '{ "name": "app" }', 'our', ' ours', 'x'.repeat(100_000)])(
    'replaces nothing that somebody else has written: %.20s',
    async (text) => {
      await writeFile(path, text);
      const store = storeOf(path);
      const advice =
        'it was not written by this package, and is not overwritten; move it away, or name another file';
      await expect(store.load()).rejects.toThrow(advice);
      await expect(store.save('ours here')).rejects.toThrow(advice);
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(await readdir(folder)).toEqual(['snapshot']);
      await rm(path);
      await store.save('ours here');
      expect(await textOf(store)).toBe('ours here');
    },
  );

  it('replaces an empty file, and its own that is damaged', async () => {
    for (const text of ['', 'ours, damaged']) {
      await writeFile(path, text);
      const store = storeOf(path);
      expect(await textOf(store)).toBe(text || undefined);
      await store.save('ours here');
      expect(await readFile(path, 'utf8')).toBe('ours here');
    }
  });

  it('replaces nothing that somebody else wrote after the load', async () => {
    const store = storeOf(path);
    await store.load();
    await writeFile(path, 'mine');
    await expect(store.save('ours here')).rejects.toThrow('it was not written by this package');
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('replaces the text of a former configuration, and not that of a process with another one', async () => {
    await storeOf(path, 'there').save('ours there');
    const first = storeOf(path);
    const second = storeOf(path, 'there');
    expect(await textOf(first)).toBe('ours there');
    await first.save('ours here 1');
    await expect(second.save('ours there')).rejects.toThrow(
      'another process uses the file: it is of elsewhere; give each a file of its own',
    );
    await first.save('ours here 2');
    expect(await readFile(path, 'utf8')).toBe('ours here 2');
  });
});
