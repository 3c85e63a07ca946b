import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf } from './house.fixture.js';
import { ROOT, run } from './packed.fixture.js';

const TIME = 120_000;

/** A file of JSON, with lines of comments. */
const json = (file: string): unknown =>
  JSON.parse(readFileSync(join(ROOT, file), 'utf8').replace(/^ *\/\/.*/gm, ''));

interface TypedocOptions {
  readonly typedocOptions: { readonly entryPoints: readonly string[] };
}

describe('the public types', () => {
  it(
    'are those of etc/api.md: if a change is meant, npm run build && npm run api:accept, and say so in CHANGELOG.md',
    { timeout: TIME },
    async () => {
      const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/api-report.js')]);
      expect(stdout).toBe(readFileSync(join(ROOT, 'etc/api.md'), 'utf8'));
    },
  );

  it('have a page of typedoc for each entry', () => {
    const { exports } = json('package.json') as { readonly exports: object };
    const { typedocOptions } = json('etc/tsconfig.build.json') as TypedocOptions;
    const patterns = typedocOptions.entryPoints.map((path) => path.replace('../', '').replace('*', '\\w+'));
    const files = filesOf('src').filter((path) => new RegExp(`^(?:${patterns.join('|')})$`).test(path));
    const entries = files.map((file) => file.replace(/^src(\/adapters)?|(\/index)?\.ts$/g, ''));
    expect(entries.map((entry) => `.${entry}`).sort()).toEqual(
      Object.keys(exports)
        .filter((entry) => entry !== './package.json')
        .sort(),
    );
  });

  it('are documented, every name, without a warning of typedoc', { timeout: TIME }, async () => {
    const typedoc = join(ROOT, 'node_modules/typedoc/bin/typedoc');
    const documenting = run(
      process.execPath,
      [typedoc, '--tsconfig', 'etc/tsconfig.build.json', '--emit', 'none'],
      { cwd: ROOT },
    );
    const said = await documenting.catch((error: unknown) => error as { stdout: string; stderr: string });
    expect(said.stdout + said.stderr).toBe('');
  });
});
