import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/*
 * What is published makes no code of text, loads nothing that only text names, and starts no program. Looked for is
 * each use of the names with which that could begin, however they are used: called, handed on, or as text. It is the
 * built code that is looked at: it is what runs, and has no types that would bear such names harmlessly.
 */

const ROOT = join(import.meta.dirname, '../..');
const files = readdirSync(join(ROOT, 'dist')).filter((name) => /\.c?js$/.test(name));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Of Node only what is needed: `module`, `vm`, `child_process`, `worker_threads` and `inspector` are not. */
const BUILT_IN =
  'async_hooks crypto events fs fs/promises http net path perf_hooks stream/promises timers util zlib';
const MODULES: ReadonlySet<string> = new Set([
  ...BUILT_IN.split(' ').flatMap((name) => [name, `node:${name}`]),
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.peerDependencies),
]);
const isModule = (name: string) =>
  MODULES.has(name) ||
  /^\.\/((chunk|open-snapshots|explain|explaining|explain-flag|write-types|service-features|kubernetes-login|import-documents)-\w+\.js|snapshots\.cjs)$/.test(
    name,
  );

/** What makes code of text, leads to what does, or loads by a way of its own. */
const NAMES: ReadonlySet<string> = new Set([
  'eval',
  'Function',
  'AsyncFunction',
  'GeneratorFunction',
  'constructor',
  'WebAssembly',
  'ShadowRealm',
  'globalThis',
  'global',
  'createRequire',
  'getBuiltinModule',
  'mainModule',
  'binding',
  '_linkedBinding',
  'dlopen',
]);

/** Each such use, as it is written. */
function forbidden(text: string): readonly string[] {
  const source = ts.createSourceFile('it.js', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isForbidden(node)) found.push(node.getText(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isForbidden(node: ts.Node): boolean {
  if (isWord(node) && NAMES.has(node.text)) return !isGlobalKey(node) && !isOfRedis(node);
  if (ts.isIdentifier(node) && node.text === 'require') return !isCalled(node);
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return node.moduleSpecifier !== undefined && !namesModule(node.moduleSpecifier);
  }
  if (!ts.isCallExpression(node)) return false;
  const [first] = node.arguments;
  if (isLoading(node.expression)) return !namesModule(first);
  return isTimer(node.expression) && first !== undefined && isText(first);
}

const isWord = (node: ts.Node): node is ts.Identifier | ts.StringLiteralLike =>
  ts.isIdentifier(node) || ts.isStringLiteralLike(node);
/** Of a Nest module: `{ global: true }` names the key and not the global object. */
const isGlobalKey = (node: ts.Identifier | ts.StringLiteralLike) =>
  node.text === 'global' && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
/** A script for Redis to run: `client.eval`, and its name in an object of commands. */
const isOfRedis = (node: ts.Identifier | ts.StringLiteralLike) =>
  node.text === 'eval' &&
  ((ts.isPropertyAccessExpression(node.parent) && node.parent.expression.getText() === 'client') ||
    (ts.isPropertyAssignment(node.parent) && node.parent.initializer.getText() === 'client.eval'));
const isCalled = (node: ts.Node) => ts.isCallExpression(node.parent) && node.parent.expression === node;
const isLoading = (callee: ts.Expression) =>
  callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
const namesModule = (node: ts.Node | undefined) =>
  node !== undefined && ts.isStringLiteralLike(node) && isModule(node.text);
const isTimer = (callee: ts.Expression) => /(^|\W)set(Timeout|Interval|Immediate)$/.test(callee.getText());
/** Not a variable that holds text: the linter, which knows types, sees to that. */
const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken);

describe('the code that is published', () => {
  it('is there', () => {
    expect(files, 'npm run build first').toContain('index.js');
  });

  it.each(files)('%s makes no code of text, and loads nothing but what it names and needs', (name) => {
    expect(forbidden(readFileSync(join(ROOT, 'dist', name), 'utf8'))).toEqual([]);
  });
});

describe('it would be found out for', () => {
  it.each([
    'eval(a)',
    '(0, eval)(a)',
    'const e = eval',
    'globalThis["eval"](a)',
    'process.mainModule.require(a)',
    'e\\u0076al(a)',
    'new Function("a")',
    'Function("a")',
    'const F = Function; new F(a)',
    'Reflect.construct(Function, [a])',
    'Reflect.get(global, a)',
    '({ a: global })',
    '({ global })',
    '(() => 0).constructor("a")()',
    '(() => 0)["constructor"]("a")()',
    'const { constructor: F } = () => 0',
    'setTimeout("a", 1)',
    'timers.setTimeout(`a${b}`, 1)',
    'setTimeout("a" + b, 1)',
    'require(a)',
    'const load = require; load(a)',
    'module.require(a)',
    'require("child_process")',
    'require("node:vm")',
    'import(a)',
    'import("data:text/javascript,a")',
    'import("node:worker_threads")',
    'import { spawn } from "node:child_process"',
    'export * from "inspector"',
    'import "module"',
    'import "./elsewhere.js"',
    'const load = createRequire(a); load(b)',
    'process.binding(a)',
    'process["_linkedBinding"](a)',
    'process.dlopen(a, b)',
    'process.getBuiltinModule(a)',
    'new WebAssembly.Module(a)',
  ])('%s', (text) => {
    expect(forbidden(text)).not.toEqual([]);
  });

  it.each([
    'import { createHash } from "node:crypto"',
    'const a = require("undici")',
    'export { a as b }',
    'class A { constructor() {} }',
    'typeof a === "function"',
    'setTimeout(() => {}, 1)',
    '({ module: A, global: true })',
  ])('not for %s', (text) => {
    expect(forbidden(text)).toEqual([]);
  });
});
