import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { manifest, ROOT, textOf } from './workflow.fixture.js';

const parent = mkdtempSync(join(tmpdir(), 'sources-'));
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

const CONFIG = textOf('.oxlintrc.json').replace('"rules": {', '"rules": { "no-console": "warn",');
const COMPILER = {
  compilerOptions: { strict: true, types: ['node'], module: 'nodenext', noEmit: true },
  include: ['src'],
};
const [linter, ...args] = manifest.scripts.lint!.split(' ');

/** What `npm run lint` prints in a folder with these files. */
function lint(name: string, files: Readonly<Record<string, string>>) {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (const linked of ['node_modules', 'etc']) symlinkSync(join(ROOT, linked), join(folder, linked));
  const config = { '.oxlintrc.json': CONFIG, 'tsconfig.json': JSON.stringify(COMPILER) };
  for (const [file, text] of Object.entries({ ...files, ...config })) writeFileSync(join(folder, file), text);
  const path = join(ROOT, 'node_modules/.bin', linter!);
  // As links they would not be ignored without this.
  const ignored = ['node_modules', 'etc'].flatMap((linked) => ['--ignore-pattern', `${linked}/**`]);
  return new Promise<{ readonly passed: boolean; readonly said: string }>((resolve) => {
    execFile(path, [...args, ...ignored], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ passed: error === null, said: stdout + stderr });
    });
  });
}

const GOOD = 'export const later = async () => 1;\n';
const DEPRECATED = `interface Both {
  set(): void;
  /** @deprecated Use {@link Both.set}. */
  old(): void;
}
export const use = (both: Both) => { both.old(); };
`;

describe('npm run lint', { timeout: 120_000 }, () => {
  it('passes where sources are right', async () => {
    const { passed, said } = await lint('right', { 'src/a.ts': GOOD });
    expect(said).toContain('Found 0 warnings and 0 errors.');
    expect(passed).toBe(true);
  });

  it('fails for what rules find in types, for what the compiler finds and for a warning', async () => {
    const wrong = {
      'no-floating-promises': {
        'src/a.ts': GOOD,
        'src/b.ts': "import { later } from './a.js';\nlater();\n",
      },
      "Type 'number' is not assignable": { 'src/c.ts': 'export const one: string = 1;\n' },
      '`old` is deprecated': { 'src/d.ts': DEPRECATED },
      'no-console': { 'src/e.ts': 'console.log();\n' },
    };
    for (const [index, [complaint, files]] of Object.entries(wrong).entries()) {
      const { passed, said } = await lint(`wrong-${index}`, files);
      expect(said).toContain(complaint);
      expect(said).toMatch(/Found (1 warning and 0 errors|0 warnings and 1 error)\./);
      expect(passed).toBe(false);
    }
  });
});
