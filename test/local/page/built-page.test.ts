import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../../command/command-process.fixture.js';
import { ROOT, run } from '../../package/packed.fixture.js';
import { useFolder } from '../folder.fixture.js';

const at = useFolder();
const FILES = ['/', '/local/page/page.css', '/local/page/page.js', '/local/page/service.js'];

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
  expect(stdout).toBe('200,200,200,200\n');
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
