import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type * as local from '../../src/local/index.js';
import { expect, it } from 'vitest';
import { startCommand } from '../command/command-process.fixture.js';
import { ROOT, run } from '../package/packed.fixture.js';
import { useFolder } from './folder.fixture.js';

const at = useFolder();
const FILES = ['/', '/local/page/page.css', '/local/page/page.js'];

/** Written as text, because it runs in each form of the package. */
const SCRIPT = `async ({ startLocalService }) => {
  const service = await startLocalService({ features: { flags: [] } });
  const load = (path) => fetch(service.url + path, { headers: { accept: 'text/html' } });
  const all = await Promise.all(${JSON.stringify(FILES)}.map(load));
  console.log(all.map(({ status }) => status).join());
  await service.close();
}`;

it.each([
  ['an ES module', 'module', `await (${SCRIPT})(await import(process.argv[1]))`, 'dist/local.js'],
  ['CommonJS', 'commonjs', `(${SCRIPT})(require(process.argv[1]))`, 'dist/local.cjs'],
])('the page is served by the built package as %s', async (_, type, script, file) => {
  const { stdout, stderr } = await run(process.execPath, [
    `--input-type=${type}`,
    '--eval',
    script,
    join(ROOT, file),
  ]);
  expect(stderr).toBe('');
  expect(stdout).toBe('200,200,200\n');
});

it('the page is served by the command', async () => {
  const path = at('features.yml');
  await writeFile(path, 'flags: []\n');
  const command = startCommand(['serve', '--features', path, '--port', '0']);
  const url = await command.url;
  for (const file of FILES) {
    const { status } = await fetch(url + file, { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
  }
  command.kill('SIGTERM');
  expect(await command.ended).toMatchObject({ code: 0 });
});

it('a bundle without the files of the page says so, and what to do', async () => {
  const bundle = at('bundle.mjs');
  await build({
    entryPoints: [join(ROOT, 'dist/local.js')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    nodePaths: [join(ROOT, 'node_modules')],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const { startLocalService } = (await import(pathToFileURL(bundle).href)) as typeof local;
  const service = await startLocalService({ features: { flags: [] } });
  for (const file of FILES) {
    const answer = await fetch(service.url + file, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(501);
    expect(await answer.json()).toMatchObject({
      message: expect.stringMatching(/bundled: leave openfeature-flipt-provider out of the bundle/) as string,
    });
  }
  await service.close();
});
