/*
 * The public types as text: every name that an entry exports, with its declaration, without comments.
 *
 *     node scripts/api-report.js            prints the report of what is in dist
 *     node scripts/api-report.js --accept   writes it to etc/api.md: the change is meant
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const ENTRIES = ['index', 'client', 'local', 'express', 'nest'];

const fileOf = (entry) => join(ROOT, 'dist', `${entry}.d.ts`);
const program = ts.createProgram(ENTRIES.map(fileOf), {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  skipLibCheck: true,
});
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true });

const origin = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** The statement that declares it, so that `const` and `type` are there. */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function declarationOf(declaration) {
  const statement = statementOf(declaration);
  const text = printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());
  return text.replace(/^(export )?(declare )?/, '');
}

function entryReport(entry) {
  const source = program.getSourceFile(fileOf(entry));
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${fileOf(entry)} has no exports: npm run build first`);
  const names = checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, declarations: origin(symbol).declarations ?? [] }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = names.map(({ name, declarations }) => {
    const texts = declarations.map(declarationOf);
    return [`### ${name}`, '', '```ts', ...texts, '```', ''].join('\n');
  });
  const globals = source.statements
    .filter(ts.isModuleDeclaration)
    .filter((one) => one.name.text === 'global');
  if (globals.length > 0) {
    blocks.push(['### global', '', '```ts', ...globals.map(declarationOf), '```', ''].join('\n'));
  }
  const title = entry === 'index' ? 'openfeature-flipt-provider' : `openfeature-flipt-provider/${entry}`;
  return [`## ${title}`, '', ...blocks].join('\n');
}

export function apiReport() {
  const head = [
    '# Public types',
    '',
    'Written by `npm run api:accept` from what `npm run build` makes; a test fails when they differ.',
    'A change here is a change for users: it belongs in the changelog, and may ask for a new major version.',
    '',
  ];
  return [...head, ...ENTRIES.map(entryReport)].join('\n').trimEnd() + '\n';
}

if (process.argv[1] === import.meta.filename) {
  const report = apiReport();
  if (process.argv.includes('--accept')) writeFileSync(join(ROOT, 'etc/api.md'), report);
  else process.stdout.write(report);
}
