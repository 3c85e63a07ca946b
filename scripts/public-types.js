/* The public types, as the compiler reads them from dist: what each entry of package.json exports. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The entries that have types, by the name under which they are imported. */
const entries = Object.entries(manifest.exports)
  .filter(([, target]) => target.import !== undefined)
  .map(([path, target]) => ({
    title: join(manifest.name, path),
    file: join(ROOT, target.import.types),
  }));

const program = ts.createProgram(
  entries.map(({ file }) => file),
  {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    skipLibCheck: true,
  },
);
const checker = program.getTypeChecker();

const origin = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** The statement that declares it, with `const` or `type` and with its comment. */
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

/** The declarations of this package with this name, as whole statements. */
function oursBy(identifier) {
  const symbol = checker.getSymbolAtLocation(identifier);
  const statements = ((symbol && origin(symbol).declarations) ?? []).map(statementOf);
  return statements.filter(
    ({ parent }) => ts.isSourceFile(parent) && dirname(parent.fileName) === join(ROOT, 'dist'),
  );
}

/** Users can neither import such a name nor read about it here. */
const unexported = (statement) =>
  [...within(statement)]
    .filter((node) => ts.isIdentifier(node) && oursBy(node).some((one) => !exported.has(one)))
    .map((node) => `reaches ${node.text}, which no entry exports`);

const isPrivate = ({ name }) => name !== undefined && ts.isPrivateIdentifier(name);
/** The members of a parameter are described by its function. */
const isMember = (node) =>
  (ts.isTypeElement(node) || ts.isClassElement(node)) &&
  !isPrivate(node) &&
  !ts.findAncestor(node, ts.isParameter);
const hasComment = (node) => ts.getJSDocCommentsAndTags(node).some((one) => ts.isJSDoc(one) && one.comment);

/** Typedoc treats an inherited comment as the member's own, although it does not describe what is new. */
const undocumented = (statement) =>
  [...within(statement)]
    .filter((node) => isMember(node) || (node === statement && !ts.isModuleDeclaration(node)))
    .filter((node) => !hasComment(node))
    .map(
      (node) => `${node === statement ? 'it' : (node.name?.getText() ?? 'constructor')} has no doc comment`,
    );

/** The problems of the public types; empty if there are none. */
export const complaints = publicTypes.flatMap(({ title, names }) =>
  names.flatMap(({ name, statements }) =>
    statements
      .flatMap((statement) => [...unexported(statement), ...undocumented(statement)])
      .map((wrong) => `${title}: ${name}: ${wrong}`),
  ),
);
