import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const REPORT = new URL('../../etc/api.md', import.meta.url);
const ASYNCHRONOUS = /\b(?:Promise|PromiseLike|AsyncGenerator|AsyncIterable)</;

/**
 * Returns what the public API report declares to return a promise, so that it may be awaited, as `Type.member` or
 * `function`.
 */
export function awaitable(report = readFileSync(REPORT, 'utf8')): readonly string[] {
  const found = new Set<string>();
  for (const [, code = ''] of report.matchAll(/^```ts\n([^]*?)^```$/gm)) {
    const source = ts.createSourceFile('api.ts', code, ts.ScriptTarget.ES2022, true);
    const visit = (node: ts.Node, owner: readonly string[]) => {
      const name = nameOf(node);
      const path = name === undefined ? owner : [...owner, name];
      if (ts.isFunctionLike(node) && ASYNCHRONOUS.test(node.type?.getText(source) ?? '')) {
        found.add(path.join('.'));
        return;
      }
      node.forEachChild((child) => {
        visit(child, path);
      });
    };
    visit(source, []);
  }
  return [...found].sort();
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isParameter(node) || !('name' in node)) return undefined;
  const { name } = node as { readonly name?: ts.Node };
  return name?.getText();
}

const SOURCES = new URL('../../src/', import.meta.url);

/** Returns the doc comments of a public name and of what it is a member of. */
export function docOf(path: string): string {
  const [owner = ''] = path.split('.');
  const names = path === owner ? [owner] : [owner, path.slice(owner.length + 1)];
  const found: string[] = [];
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const code = readFileSync(new URL(file, SOURCES), 'utf8');
    const isDeclared = new RegExp(`^export (?:async )?(?:class|interface|type|function) ${owner}\\b`, 'm');
    if (!isDeclared.test(code)) continue;
    const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
    const docs = (node: ts.Node, at: number): string => {
      const mine = nameOf(node) === names[at] ? at + 1 : at;
      const own = mine > at ? ts.getJSDocCommentsAndTags(node).map((doc) => doc.getText()) : [];
      const inner: string[] = [];
      if (mine < names.length) node.forEachChild((child) => void inner.push(docs(child, mine)));
      return [...own, ...inner].join('\n');
    };
    found.push(docs(source, 0).replace(/\s*\n\s*\*?\s*/g, ' '));
  }
  if (found.length === 0) throw new Error(`src declares no ${path}`);
  return found.join('\n');
}
