import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNode, placesOf, type Place, type SyntaxNode } from './syntax.fixture.js';

/*
 * The published code runs no text as code, loads nothing that only a text names, and starts no program. The test looks
 * for each use of the names with which that could begin: called, passed on, or in a text. It reads the built code,
 * because that is what runs, and because it has no types that use such names harmlessly.
 */

const ROOT = join(import.meta.dirname, '../..');
const files = readdirSync(join(ROOT, 'dist')).filter((name) => /\.c?js$/.test(name));

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The modules of Node that are needed. `module`, `vm`, `child_process`, `worker_threads` and `inspector` are not. */
const BUILT_IN =
  'async_hooks crypto events fs fs/promises http https net path perf_hooks stream/promises timers tls url util zlib';
const MODULES: ReadonlySet<string> = new Set([
  ...BUILT_IN.split(' ').flatMap((name) => [name, `node:${name}`]),
  ...Object.keys(manifest.dependencies),
  ...Object.keys(manifest.peerDependencies),
]);
const isModule = (name: string) =>
  MODULES.has(name) ||
  /^\.\/((chunk|lint|lint-rules|lint-settings|print-findings|explain-flag|serve|write-types|write-snapshot|flipt-snapshot)-\w+\.js|index\.c?js)$/.test(
    name,
  );

/** Names that run text as code, lead to such a name, or load code in another way. */
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
  const written = (node: SyntaxNode) => text.slice(node.start, node.end);
  return placesOf(text, 'js')
    .filter((place) => isForbidden(place, written))
    .map(({ node }) => written(node));
}

type Written = (node: SyntaxNode) => string;

function isForbidden(place: Place, written: Written): boolean {
  const { node } = place;
  const { type, callee, source } = node;
  if (NAMES.has(wordOf(node) ?? '')) {
    const isHarmless = [isClassConstructor, isGlobalKey, isComparedText, isNameOfClass, isLoadOfBuiltIn].some(
      (is) => is(place),
    );
    return !isHarmless && !isOfRedis(place, written);
  }
  if (isRequire(node)) return !isCalled(place);
  if (type === 'ImportExpression') return !namesModule(source);
  if (/^(Import|Export(All|Named))Declaration$/.test(type)) return isNode(source) && !namesModule(source);
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  const [first] = node.arguments as readonly SyntaxNode[];
  if (isRequire(callee)) return !namesModule(first);
  return isTimer(written(callee)) && first !== undefined && isText(first);
}

/** The text of a literal; empty if it contains an expression. */
function textOf({ type, value, quasis }: SyntaxNode): string | undefined {
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  if (type !== 'TemplateLiteral') return undefined;
  const [only, ...others] = quasis as readonly { readonly value: { readonly cooked: string } }[];
  return others.length > 0 ? undefined : only?.value.cooked;
}

const isNamed = (node: unknown, name: string) =>
  isNode(node) && node.type === 'Identifier' && node.name === name;
const isRequire = (node: unknown) => isNamed(node, 'require');
const wordOf = (node: SyntaxNode) => (node.type === 'Identifier' ? String(node.name) : textOf(node));
/** A class declares its constructor like this, which is no use of one. */
const isClassConstructor = ({ node, within }: Place) =>
  within?.node.type === 'MethodDefinition' && within.node.kind === 'constructor' && within.node.key === node;
/** A key of an object literal alone: not of a pattern, and not the shorthand of a variable. */
const isKey = ({ node, within }: Place) =>
  within?.node.type === 'Property' &&
  within.within?.node.type === 'ObjectExpression' &&
  within.node.key === node &&
  within.node.kind === 'init' &&
  within.node.method === false &&
  within.node.computed === false &&
  within.node.shorthand === false;
/** In a Nest module, `{ global: true }` names a key and not the global object. */
const isGlobalKey = (place: Place) => wordOf(place.node) === 'global' && isKey(place);
/** A text that is only compared with another one, as in `key !== "constructor"`. */
const isComparedText = ({ node, within }: Place) =>
  node.type === 'Literal' &&
  within?.node.type === 'BinaryExpression' &&
  /^[!=]==$/.test(String(within.node.operator));
/** The name of an object's class, for a message: `a.constructor.name` or `a.constructor?.name`. */
function isNameOfClass({ node, within }: Place): boolean {
  const outer = within?.within?.node;
  return (
    isMemberOf(within?.node, node, 'property') &&
    wordOf(node) === 'constructor' &&
    isMemberOf(outer, within?.node, 'object') &&
    isNamed(outer?.property, 'name')
  );
}
/** The modules that are loaded when they are first used. */
const LOADED_LATE: ReadonlySet<string> = new Set(
  ['crypto', 'http', 'https', 'tls', 'zlib'].map((name) => `node:${name}`),
);
/** Returns whether the name belongs to a call of `process.getBuiltinModule` that loads one of these modules. */
function isLoadOfBuiltIn({ node, within }: Place): boolean {
  if (wordOf(node) !== 'getBuiltinModule' || !isMemberOf(within?.node, node, 'property')) return false;
  const call = within?.within?.node;
  if (!isNamed(within?.node.object, 'process') || call?.type !== 'CallExpression') return false;
  const [name, ...others] = call.arguments as readonly SyntaxNode[];
  return (
    call.callee === within?.node &&
    others.length === 0 &&
    name !== undefined &&
    LOADED_LATE.has(textOf(name) ?? '')
  );
}
const isMemberOf = (member: SyntaxNode | undefined, node: unknown, as: 'object' | 'property') =>
  member?.type === 'MemberExpression' && member.computed === false && member[as] === node;
/** A script for Redis: `client.eval`, and its name in an object of commands. */
function isOfRedis(place: Place, written: Written): boolean {
  const { node, within } = place;
  if (wordOf(node) !== 'eval' || within === undefined) return false;
  const { type, object, property, computed, value } = within.node;
  const isMember = type === 'MemberExpression' && property === node && computed === false;
  if (isMember) return isNamed(object, 'client');
  return isKey(place) && isNode(value) && written(value) === 'client.eval';
}
const isCalled = ({ node, within }: Place) =>
  within?.node.type === 'CallExpression' && within.node.callee === node;
const namesModule = (node: unknown) => isNode(node) && isModule(textOf(node) ?? '');
const isTimer = (callee: string) => /(^|\W)set(Timeout|Interval|Immediate)$/.test(callee);
/** Variables that hold text are checked by the linter, which knows types. */
const isText = (node: SyntaxNode): boolean =>
  node.type === 'TemplateLiteral' ||
  textOf(node) !== undefined ||
  (node.type === 'BinaryExpression' && node.operator === '+');

describe('the code that is published', () => {
  it('is there', () => {
    expect(files, 'npm run build first').toContain('index.js');
  });

  it.each(files)('%s runs no text as code, and loads nothing but what it names and needs', (name) => {
    expect(forbidden(readFileSync(join(ROOT, 'dist', name), 'utf8'))).toEqual([]);
  });
});

describe('the check reports', () => {
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
    '({ global() {} })',
    '({ get global() {} })',
    'const { global: a } = b',
    '(() => 0).constructor("a")()',
    '(() => 0)["constructor"]("a")()',
    'const { constructor: F } = () => 0',
    '(() => 0).constructor',
    '(() => 0).constructor[name]("a")',
    'name.constructor',
    'a === b ? "constructor" : c',
    'a[b === c || "constructor"]',
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
    'process.getBuiltinModule("node:vm")',
    'process.getBuiltinModule("node:fs")',
    'process.getBuiltinModule(`node:${a}`)',
    'process["getBuiltinModule"]("node:http")',
    'const load = process.getBuiltinModule; load("node:vm")',
    'const { getBuiltinModule } = process',
    'a(process.getBuiltinModule)',
    'new WebAssembly.Module(a)',
  ])('%s', (text) => {
    expect(forbidden(text)).not.toEqual([]);
  });

  it.each([
    'import { createHash } from "node:crypto"',
    'const a = require("yaml")',
    'process.getBuiltinModule("node:http")',
    'a !== "constructor"',
    'Object.getPrototypeOf(a)?.constructor?.name',
    'export { a as b }',
    'class A { constructor() {} }',
    'typeof a === "function"',
    'setTimeout(() => {}, 1)',
    '({ module: A, global: true })',
  ])('no problem in %s', (text) => {
    expect(forbidden(text)).toEqual([]);
  });
});
