import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const files = readdirSync(join(ROOT, 'dist')).filter((name) => /\.c?js$/.test(name));

/** What code does that makes code of text, or loads what only text names. */
function makingCode(text: string): readonly string[] {
  const source = ts.createSourceFile('it.js', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const callee = node.expression.getText(source);
      const [first] = node.arguments ?? [];
      const isFixed = first !== undefined && ts.isStringLiteralLike(first);
      const makes = /^(globalThis\.)?(eval|Function)$/.test(callee);
      const timed = /(^|\.)set(Timeout|Interval|Immediate)$/.test(callee) && isFixed;
      const loads = /^(require|import|module\.require|createRequire\(.*\))$/.test(callee) && !isFixed;
      if (makes || timed || loads) found.push(node.getText(source));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('the code that is published', () => {
  it('is there', () => {
    expect(files, 'npm run build first').toContain('index.js');
  });

  it.each(files)('%s makes no code of text, and loads nothing that only text names', (name) => {
    expect(makingCode(readFileSync(join(ROOT, 'dist', name), 'utf8'))).toEqual([]);
  });

  it.each(files)('%s starts no program', (name) => {
    expect(readFileSync(join(ROOT, 'dist', name), 'utf8')).not.toMatch(
      /["'](node:)?(child_process|vm|cluster|worker_threads|inspector)["']/,
    );
  });

  it.each(['eval(a)', 'new Function("a")', 'require(a)', 'import(a)', 'setTimeout("a", 1)'])(
    'would be found out for %s',
    (text) => {
      expect(makingCode(`const b = () => ${text};`)).toEqual([text]);
    },
  );
});
