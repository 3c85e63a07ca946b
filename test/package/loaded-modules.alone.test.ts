import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from './packed.fixture.js';

/*
 * What the built package makes Node load. `process.moduleLoadList` names all modules of Node that are loaded in a
 * process.
 */

const run = promisify(execFile);

/** Node's modules that a process loads only when it needs them. Node's own client undici takes longest of all. */
const LATE = ['http', 'https', 'tls', 'crypto', 'zlib', 'internal/deps/undici/undici'];

const ESM = "const { FliptProvider } = await import('./dist/index.js');";
const CJS = "const { FliptProvider } = require('./dist/index.cjs');";

/** Returns which of the modules in `LATE` are loaded when this code has run. */
async function loadedBy(code: string, type: 'module' | 'commonjs'): Promise<readonly string[]> {
  const print = 'console.log(JSON.stringify(process.moduleLoadList));';
  const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', `${code}\n${print}`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH },
  });
  const loaded = JSON.parse(stdout) as readonly string[];
  return LATE.filter((name) => loaded.includes(`NativeModule ${name}`));
}

describe.each([
  ['module', ESM],
  ['commonjs', CJS],
] as const)('a process that loads the package as %s', (type, load) => {
  it('loads no network and no cryptography', async () => {
    const before = await loadedBy("await import('@openfeature/server-sdk');", 'module');
    expect(before).toEqual([]);
    expect(await loadedBy(load, type)).toEqual([]);
  });

  it('loads only HTTP with a provider for an address that begins with http:', async () => {
    const create = "new FliptProvider({ url: 'http://127.0.0.1:9' });";
    expect(await loadedBy(`${load}\n${create}`, type)).toEqual(['http']);
  });

  it('loads TLS, but not undici, with a provider for an address that begins with https:', async () => {
    const create = "new FliptProvider({ url: 'https://127.0.0.1:9' });";
    expect(await loadedBy(`${load}\n${create}`, type)).toEqual(['http', 'https', 'tls', 'crypto']);
  });
});
