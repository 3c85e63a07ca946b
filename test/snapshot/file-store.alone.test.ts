import type * as Files from 'node:fs/promises';
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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileStore } from '../../src/snapshot/file-store.js';
import { systemClock } from '../../src/base/time/clock.js';

let isMounted = false;
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof Files>();
  return {
    ...fs,
    rename: (from: string, to: string) =>
      isMounted
        ? Promise.reject(Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' }))
        : fs.rename(from, to),
  };
});

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flipt-store-'));
  path = join(folder, 'snapshot');
});
afterEach(() => rm(folder, { recursive: true }));

const ours = (place: string, more = '') =>
  `{"format":2,"url":"${place}","semantics":"v1","namespace":{"key":"default"},"flags":[${more}]}`;
const textOf = async (store: ReturnType<typeof storeOf>) => {
  const { text } = await store.load();
  return Buffer.isBuffer(text) ? text.toString() : text;
};
const storeOf = (at: string, url = 'here') =>
  fileStore(at, { url, namespace: 'default', environment: undefined }, systemClock);

describe('a file as a store', () => {
  it('has nothing before the first save', async () => {
    expect(await textOf(storeOf(path))).toBeUndefined();
  });

  it('gives back what was saved last, to another process too', async () => {
    await storeOf(path).save(ours('here', 'one'));
    await storeOf(path).save(ours('here', 'two'));
    expect(await textOf(storeOf(path))).toBe(ours('here', 'two'));
    expect(await readdir(folder)).toEqual(['snapshot']);
  });

  it.runIf(process.platform !== 'win32')('can be read only by its owner', async () => {
    await storeOf(path).save(ours('here'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.platform !== 'win32')('may be a link, which stays: its target is replaced', async () => {
    const target = join(folder, 'elsewhere', 'target');
    await mkdir(dirname(target));
    await symlink(target, join(folder, 'middle'));
    await symlink('middle', path);
    for (const text of [ours('here', 'before the target is there'), ours('here', 'after')]) {
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
    await expect(storeOf(path).save(ours('here'))).rejects.toThrow('ELOOP');
  });

  it('rejects if it cannot be written, and keeps what it had', async () => {
    await expect(storeOf(join(folder, 'missing', 'snapshot')).save(ours('here'))).rejects.toThrow('ENOENT');
    await expect(storeOf(folder).load()).rejects.toThrow('it is a folder, a pipe or a device');
  });

  it('says at the start that its folder does not exist', async () => {
    const missing = join(folder, 'missing');
    await expect(storeOf(join(missing, 'snapshot')).load()).rejects.toThrow(
      `its folder ${missing} does not exist`,
    );
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
      await expect(store.save(ours('here'))).rejects.toThrow(advice);
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(await readdir(folder)).toEqual(['snapshot']);
      await rm(path);
      await store.save(ours('here'));
      expect(await textOf(store)).toBe(ours('here'));
    },
  );

  it('replaces an empty file, and its own that is damaged', async () => {
    for (const text of ['', '{"format":2,"url":"dam']) {
      await writeFile(path, text);
      const store = storeOf(path);
      expect(await textOf(store)).toBe(text || undefined);
      await store.save(ours('here'));
      expect(await readFile(path, 'utf8')).toBe(ours('here'));
    }
  });

  it('replaces nothing that somebody else wrote after the load', async () => {
    const store = storeOf(path);
    await store.load();
    await writeFile(path, 'mine');
    await expect(store.save(ours('here'))).rejects.toThrow('it was not written by this package');
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('replaces the text of a former configuration, and not that of a process with another one', async () => {
    await storeOf(path, 'there').save(ours('there'));
    const first = storeOf(path);
    const second = storeOf(path, 'there');
    expect(await textOf(first)).toBe(ours('there'));
    await first.save(ours('here', '1'));
    await expect(second.save(ours('there'))).rejects.toThrow(
      'another process uses the file: it belongs to url "here", and the option is "there"; if both are in use',
    );
    await first.save(ours('here', '2'));
    expect(await readFile(path, 'utf8')).toBe(ours('here', '2'));
  });

  it('is as old as its last change or confirmation', async () => {
    const store = storeOf(path);
    await store.save(ours('here'));
    await utimes(path, new Date(0), new Date(Date.now() - 3_600_000));
    const { confirmedAt = 0 } = await store.load();
    expect(systemClock.now() - confirmedAt).toBeGreaterThan(3_500_000);
    await store.touch?.();
    const { confirmedAt: touchedAt = 0 } = await store.load();
    expect(systemClock.now() - touchedAt).toBeLessThan(60_000);
  });

  it('that is mounted by itself says to mount its folder', async () => {
    isMounted = true;
    await expect(storeOf(path).save(ours('here'))).rejects.toThrow('mount its folder');
    isMounted = false;
    expect(await readdir(folder)).toEqual([]);
  });
});
