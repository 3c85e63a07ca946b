import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/**
 * Makes a folder for the tests of a file, which is removed after them. Returns a function that gives the path of a name
 * in it.
 */
export function useFolder(): (name?: string) => string {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flipt-local-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  return (name = '') => join(folder, name);
}
