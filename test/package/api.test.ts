import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, run } from './packed.js';

const TIME = 120_000;

describe('the public types', () => {
  it(
    'are those of etc/api.md: if a change is meant, npm run build && npm run api:accept, and say so in CHANGELOG.md',
    { timeout: TIME },
    async () => {
      const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/api-report.js')]);
      expect(stdout).toBe(readFileSync(join(ROOT, 'etc/api.md'), 'utf8'));
    },
  );

  it('are documented, every name, without a warning of typedoc', { timeout: TIME }, async () => {
    const typedoc = join(ROOT, 'node_modules/typedoc/bin/typedoc');
    const documenting = run(process.execPath, [typedoc, '--emit', 'none'], { cwd: ROOT });
    const said = await documenting.catch((error: unknown) => error as { stdout: string; stderr: string });
    expect(said.stdout + said.stderr).toBe('');
  });
});
