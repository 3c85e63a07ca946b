import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './workflow.fixture.js';

const parent = mkdtempSync(join(tmpdir(), 'sources-'));
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
});

const CONFIG = `import tseslint from 'typescript-eslint';
export default tseslint.config({
  files: ['**/*.ts'],
  extends: [tseslint.configs.base],
  languageOptions: { parserOptions: { projectService: true } },
  rules: {
    '@typescript-eslint/no-deprecated': ['error', { allow: ['old'] }],
    '@typescript-eslint/no-floating-promises': 'error',
    'no-debugger': 'warn',
  },
});
`;
const COMPILER = { compilerOptions: { strict: true, types: [], noEmit: true }, include: ['src'] };

/** What scripts/sources.js says of a folder with these files. */
function saidOf(name: string, files: Readonly<Record<string, string>>) {
  const folder = join(parent, name);
  mkdirSync(join(folder, 'src'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const all = { ...files, 'eslint.config.mjs': CONFIG, 'tsconfig.types.json': JSON.stringify(COMPILER) };
  for (const [file, text] of Object.entries(all)) writeFileSync(join(folder, file), text);
  const script = join(ROOT, 'scripts/sources.js');
  return new Promise<{ readonly passed: boolean; readonly said: string }>((resolve) => {
    execFile(process.execPath, [script], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ passed: error === null, said: stdout + stderr });
    });
  });
}

const GOOD = 'export const later = async () => 1;\n';
const LINKED = `export interface Both {
  set(): void;
  /** @deprecated Use {@link Both.set}. */
  old(): void;
}
export const use = (both: Both) => { both.old(); };
`;

describe('sources.js', { timeout: 120_000 }, () => {
  it('says nothing of sources that are right, with a link in a comment', async () => {
    expect(await saidOf('right', { 'src/a.ts': GOOD, 'src/b.ts': LINKED })).toEqual({
      passed: true,
      said: '',
    });
  });

  it('finds what the compiler finds, what ESLint finds with types, and warnings of ESLint', async () => {
    const { passed, said } = await saidOf('wrong', {
      'src/a.ts': GOOD,
      'src/b.ts': "import { later } from './a';\nlater();\n",
      'src/c.ts': 'debugger;\nexport const one: string = 1;\n',
    });
    expect(passed).toBe(false);
    expect(said).toContain('no-floating-promises');
    expect(said).toContain('no-debugger');
    expect(said).toContain("src/c.ts(2,14): error TS2322: Type 'number' is not assignable");
  });
});
