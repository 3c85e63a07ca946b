import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, run } from './packed.fixture.js';

const TIME = 120_000;

const json = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

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
    const { entryPoints } = json('typedoc.json') as { readonly entryPoints: readonly string[] };
    const entries = entryPoints.map((file) => file.replace(/^src|(\/index)?\.ts$/g, ''));
    expect(entries.map((entry) => `.${entry}`)).toEqual(
      Object.keys(exports).filter((entry) => entry !== './package.json'),
    );
  });

  it('are documented, every name, without a warning of typedoc', { timeout: TIME }, async () => {
    const typedoc = join(ROOT, 'node_modules/typedoc/bin/typedoc');
    const documenting = run(process.execPath, [typedoc, '--emit', 'none'], { cwd: ROOT });
    const said = await documenting.catch((error: unknown) => error as { stdout: string; stderr: string });
    expect(said.stdout + said.stderr).toBe('');
  });
});
