import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './packed.fixture.js';

/*
 * These tests check which of Node's modules the built package loads. `process.moduleLoadList` names all modules of Node that are loaded in a
 * process.
 */

const run = promisify(execFile);

/** Node's copy of undici takes the longest to load, and npm's undici would load `http`. */
const LATE = ['http', 'https', 'tls', 'internal/deps/undici/undici'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flipt-loaded-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns which of the modules in `LATE` are loaded when a file with this code has run. */
async function loadedBy(extension: 'mjs' | 'cjs', code: string): Promise<readonly string[]> {
  const path = join(folder, `app.${extension}`);
  await writeFile(path, `${code}\nconsole.log(JSON.stringify(process.moduleLoadList));`);
  const { stdout } = await run(process.execPath, [path], { env: { PATH: process.env.PATH } });
  const loaded = JSON.parse(stdout) as readonly string[];
  return LATE.filter((name) => loaded.includes(`NativeModule ${name}`));
}

const built = (name: string) => join(ROOT, 'dist', name);
const importing = `const { FliptProvider } = await import(${JSON.stringify(pathToFileURL(built('index.js')))});`;
const requiring = `const { FliptProvider } = require(${JSON.stringify(built('index.cjs'))});`;

describe.each([
  ['mjs', importing],
  ['cjs', requiring],
] as const)('a process that loads the package, in a file *.%s,', (extension, load) => {
  it('loads no module of Node for HTTP or TLS', async () => {
    expect(await loadedBy(extension, '')).toEqual([]);
    expect(await loadedBy(extension, load)).toEqual([]);
  });

  it('loads only HTTP with a provider for an address that begins with http:', async () => {
    const create = "new FliptProvider({ url: 'http://127.0.0.1:9' });";
    expect(await loadedBy(extension, `${load}\n${create}`)).toEqual(['http']);
  });

  it('loads TLS, but not undici, with a provider for an address that begins with https:', async () => {
    const create = "new FliptProvider({ url: 'https://127.0.0.1:9' });";
    const loaded = await loadedBy(extension, `${load}\n${create}`);
    // Whether https loads http beside it is Node's own affair.
    expect(loaded.filter((name) => name !== 'http')).toEqual(['https', 'tls']);
  });
});
