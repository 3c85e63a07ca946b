import { open, rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fingerprint } from '../../../src/base/files/fingerprint.js';
import { useFolder } from '../../local/folder.fixture.js';

const at = useFolder();

it('differs from version to version', async () => {
  const path = at('watched.yml');
  await writeFile(path, 'a');
  const first = await fingerprint(path);
  await writeFile(path, 'ab');
  const second = await fingerprint(path);
  expect(first).not.toBe(second);
  expect(await fingerprint(path)).toBe(second);
});

it('is undefined if there is no file', async () => {
  const path = at('removed.yml');
  await writeFile(path, 'a');
  await rm(path);
  expect(await fingerprint(path)).toBeUndefined();
});

it('is the same for an open file and its path', async () => {
  const path = at('open.yml');
  await writeFile(path, 'a');
  const file = await open(path);
  expect(await fingerprint(file)).toBe(await fingerprint(path));
  await file.close();
});

it('rejects if the file cannot be looked at', async () => {
  const path = at('file');
  await writeFile(path, '');
  await expect(fingerprint(`${path}/below`)).rejects.toMatchObject({ code: 'ENOTDIR' });
});
