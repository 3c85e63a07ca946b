import { transformSync } from 'esbuild';
import { PATIENT } from '../eventually.fixture.js';
import { fencesOf, textOf, type Fence } from '../docs/pages.fixture.js';

/** The pages whose samples must work in Jest. */
const PAGES = ['docs/testing.md', 'docs/in-process.md'];

/** How a test file is loaded: by `require`, or as an ES module with `--experimental-vm-modules`. */
export type ModuleFormat = 'cjs' | 'esm';

/** Returns the samples of the pages, without those for Playwright, which has a runner of its own. */
export function jestSamples(): readonly { readonly name: string; readonly fence: Fence }[] {
  return PAGES.flatMap((page) =>
    fencesOf(textOf(page))
      .filter(({ language, marks }) => language === 'ts' && !marks.includes('no-run'))
      .map((fence) => ({ name: `${page.replace(/\W+/g, '-')}-${fence.line}`, fence })),
  );
}

/**
 * Turns a sample into a test file of Jest. A sample that is a script becomes one test, which checks what the script
 * prints.
 */
export function asJestTest({ code }: Fence, url: string, format: ModuleFormat): string {
  const patient = code
    .replaceAll('http://localhost:8080', url)
    // With the time-outs of the page, a stall would cause a default.
    .replaceAll('new FliptProvider({', `$&...${JSON.stringify(PATIENT)},`);
  const isTest = /^test\(/m.test(code);
  const text = isTest ? withoutVitest(patient) : scriptAsTest(patient);
  return transformSync(text, {
    loader: 'ts',
    format,
    target: 'node20',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, verbatimModuleSyntax: false } },
  }).code;
}

/** Removes the imports of Vitest, because Jest has the same functions as globals. */
function withoutVitest(code: string): string {
  return code.replace(/^import .* from 'vitest';$/m, '');
}

function scriptAsTest(code: string): string {
  const imports = [...code.matchAll(/^import .*$/gm)].join('\n');
  const body = code.replace(/^import .*$/gm, '');
  const expected = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*?)(?:: .*)?$/gm)].map(([, line]) => line);
  return `${imports}
    test('prints what the page states', async () => {
      const printed = [];
      const console = { log: (value) => printed.push(String(value)) };
      ${body}
      expect(printed.slice(0, ${expected.length})).toEqual(${JSON.stringify(expected)});
      expect(printed).not.toEqual([]);
    });`;
}

/** What docs/testing.md says to call for fake timers. */
const SETTINGS: Readonly<Record<string, string>> = {
  Jest: 'jest.useFakeTimers()',
  Vitest: 'vi.useFakeTimers()',
  'node:test': 'mock.timers.enable()',
  Sinon: "sinon.useFakeTimers({ toFake: ['Date', 'setTimeout', 'setInterval'] })",
};

export function settingOf(framework: string): string {
  return SETTINGS[framework] ?? '';
}
