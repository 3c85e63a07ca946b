/*
 * Reads the public types from dist with the compiler: what each entry of package.json exports.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/*
 * With an import, Node would search the 9 MB of this CommonJS module for the names that it exports.
 */
export const ts = createRequire(import.meta.url)('typescript');

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The entries that have types, by the names under which they are imported. */
const entries = Object.entries(manifest.exports)
  .filter(([, target]) => target.import !== undefined)
  .map(([path, target]) => ({
    title: join(manifest.name, path),
    file: join(ROOT, target.import.types),
  }));

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  noLib: true,
  types: [],
};
const host = ts.createCompilerHost(options);
/**
 * The compiler reads only the files of dist. Other packages' declarations are ten times as large, and not part of the
 * report.
 */
host.resolveModuleNameLiterals = (names, importer) =>
  names.map(({ text }) =>
    text.startsWith('.')
      ? ts.resolveModuleName(text, importer, options, host, undefined, undefined, ts.ModuleKind.ESNext)
      : { resolvedModule: undefined },
  );
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
  host,
);
const checker = program.getTypeChecker();

const origin = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** The statement that contains a declaration, with `const` or `type` and with its comment. */
const statementOf = (declaration) =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;

function exportsOf({ title, file }) {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} has no exports: npm run build first`);
  const names = checker
    .getExportsOfModule(module)
    .map((symbol) => ({
      name: symbol.name,
      statements: (origin(symbol).declarations ?? []).map(statementOf),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const globals = source.statements.filter(
    (one) => ts.isModuleDeclaration(one) && one.name.text === 'global',
  );
  return { title, names: globals.length > 0 ? [...names, { name: 'global', statements: globals }] : names };
}

/** Each entry with the names that it exports, and with what it adds to the global scope. */
export const publicTypes = entries.map(exportsOf);

const exported = new Set(publicTypes.flatMap(({ names }) => names.flatMap(({ statements }) => statements)));

function* within(node) {
  yield node;
  for (const child of node.getChildren()) yield* within(child);
}

/** This package's declarations of this name, as whole statements. */
function oursBy(identifier) {
  const symbol = checker.getSymbolAtLocation(identifier);
  const statements = ((symbol && origin(symbol).declarations) ?? []).map(statementOf);
  return statements.filter(
    ({ parent }) => ts.isSourceFile(parent) && dirname(parent.fileName) === join(ROOT, 'dist'),
  );
}

/** The names that a statement uses and no entry exports. Users could neither import them nor read about them. */
const unexported = (statement) =>
  [...within(statement)]
    .filter((node) => ts.isIdentifier(node) && oursBy(node).some((one) => !exported.has(one)))
    .map((node) => `reaches ${node.text}, which no entry exports`);

const isPrivate = ({ name }) => name !== undefined && ts.isPrivateIdentifier(name);
/**
 * Whether a node is a member that needs a doc comment. The members of a parameter do not, because the function's
 * comment describes them.
 */
const isMember = (node) =>
  (ts.isTypeElement(node) || ts.isClassElement(node)) &&
  !isPrivate(node) &&
  !ts.findAncestor(node, ts.isParameter);
const hasComment = (node) => ts.getJSDocCommentsAndTags(node).some((one) => ts.isJSDoc(one) && one.comment);

/**
 * The declarations without a doc comment of their own. An inherited comment does not count: Typedoc shows it, although
 * it does not describe what is new.
 */
const undocumented = (statement) =>
  [...within(statement)]
    .filter((node) => isMember(node) || (node === statement && !ts.isModuleDeclaration(node)))
    .filter((node) => !hasComment(node))
    .map(
      (node) => `${node === statement ? 'it' : (node.name?.getText() ?? 'constructor')} has no doc comment`,
    );

/** The packages that an entry exports names from. They are a problem, because the report would not show these names. */
const exportedPackages = program
  .getSourceFiles()
  .flatMap(({ statements }) => statements.filter(ts.isExportDeclaration))
  .map(({ moduleSpecifier }) => moduleSpecifier?.text ?? '.')
  .filter((name) => !name.startsWith('.'));

/** The problems of a name; empty if there are none. */
const problemsOf = ({ statements }) =>
  statements.length === 0
    ? ['is declared by another package']
    : statements.flatMap((statement) => [...unexported(statement), ...undocumented(statement)]);

/** The problems of the public types; empty if there are none. */
export const complaints = [
  ...exportedPackages.map((name) => `${manifest.name} exports what ${name} declares`),
  ...publicTypes.flatMap(({ title, names }) =>
    names.flatMap((name) => problemsOf(name).map((problem) => `${title}: ${name.name}: ${problem}`)),
  ),
];
