import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELP, HELPS } from '../../src/command/help.js';
import { fencesOf, pages, quotesOf, ROOT, tableOf, textOf } from './pages.fixture.js';

/** What a page shows as code: its samples, and texts between backticks. */
const shownIn = (page: string) => [
  ...fencesOf(textOf(page)).flatMap(({ code }) => code.split('\n')),
  ...quotesOf(textOf(page)),
];
const namedScripts = '../../scripts/named-scripts.js';
const { NAMED } = (await import(namedScripts)) as {
  readonly NAMED: Readonly<
    Record<'example' | 'bench', Readonly<Record<string, readonly [commands: string, shows: string]>>>
  >;
};
const NAMED_SCRIPT = /\bnpm run (example|bench) -- ([\w-]+)/g;
const unknownNames = (text: string) =>
  [...text.matchAll(NAMED_SCRIPT)]
    .filter(([, kind, name = '']) => !Object.hasOwn(NAMED[kind as 'example' | 'bench'], name))
    .map(([script]) => script);
const optionsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([option]) => option);

describe.each(pages())('%s', (page) => {
  it('names only scripts that package.json has', () => {
    const manifest = JSON.parse(textOf('package.json')) as { readonly scripts: object };
    const names = shownIn(page).flatMap((code) =>
      [...code.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([, run, short]) => run ?? short),
    );
    expect(names.filter((name) => !Object.hasOwn(manifest.scripts, name ?? ''))).toEqual([]);
  });

  it('names only examples and benchmarks that there are', () => {
    expect(unknownNames(textOf(page))).toEqual([]);
  });

  it('names only options that the commands have', () => {
    const shown = shownIn(page);
    const unknown = (code: string, help: string) =>
      optionsIn(code).filter((option) => !optionsIn(help).includes(option));
    const ofCommands = Object.entries(HELPS).flatMap(([command, help]) =>
      shown.filter((code) => code.includes(` ${command} --`)).flatMap((code) => unknown(code, help)),
    );
    const all = [HELP, ...Object.values(HELPS)].join('\n');
    const alone = shown.filter((code) => code.startsWith('--')).flatMap((code) => unknown(code, all));
    expect([...ofCommands, ...alone]).toEqual([]);
  });
});

describe('npm run example, and npm run bench', () => {
  const commands = Object.values(NAMED).flatMap((named) => Object.values(named).map(([command]) => command));

  it.each(commands)('%s runs files that there are', (command) => {
    const paths = command.match(/\b(?:bench|examples)\/[\w./-]+/g) ?? [];
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('are named so in the files of bench', () => {
    const files = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' });
    const texts = files.filter((name) => /\.[jt]s$/.test(name)).map((name) => textOf(join('bench', name)));
    expect(texts.some((text) => text.includes('npm run bench -- snapshot'))).toBe(true);
    expect(texts.flatMap(unknownNames)).toEqual([]);
  });
});

it('docs/local.md lists every option of the command serve', () => {
  const rows = tableOf('docs/local.md', 'Option', '`serve`').map((row) => row.join(' '));
  const [, options = ''] = /^Options\n(.*?)\n\n/ms.exec(HELPS.serve) ?? [];
  const all = [...options.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option = '']) => option);
  expect(all).toContain('--features');
  const notOfServing = ['--help', '--version'];
  expect(rows.flatMap(optionsIn).sort()).toEqual(all.filter((one) => !notOfServing.includes(one)).sort());
});

describe('a message that docs/failures.md quotes', () => {
  const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'))
    .join('\n');
  /** At least three words, and no code. */
  const isMessage = (quote: string) => /^[a-z]+ [^(){}=]* /i.test(quote) && !/^np[mx] /.test(quote);
  const messages = quotesOf(textOf('docs/failures.md')).filter(isMessage);

  it('is found in the page', () => {
    expect(messages).toContain('Flipt answers again');
    expect(messages.length).toBeGreaterThan(5);
  });

  it.each(messages)('is in the code: %s', (message) => {
    const words = message.split('…').map((part) => part.replace(/[\s;,:]+$/, '').trim());
    expect(words.filter((fixed) => !source.includes(fixed))).toEqual([]);
  });
});
