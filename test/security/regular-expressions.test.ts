import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

/*
 * recheck decides for each regular expression of ours whether some text makes it slow, polynomially or worse, and
 * shows such a text. Its JavaScript, not its binaries, so that it works on each machine; bounded by steps, not time.
 */
vi.stubEnv('RECHECK_BACKEND', 'pure');
const TIME = 60_000;

const SRC = join(import.meta.dirname, '../../src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** The literals of a file, and the places where one is put together when it runs. */
function inFile(file: string): { readonly literals: readonly Found[]; readonly made: readonly string[] } {
  const tree = ts.createSourceFile(file, readFileSync(join(SRC, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const literals: Found[] = [];
  const made: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      literals.push({ where: file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      made.push(file.replaceAll('\\', '/'));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { literals, made };
}

const literals = files.flatMap((file) => inFile(file).literals);
const made = files.flatMap((file) => inFile(file).made);

function verdict({ source, flags }: Found): string {
  const { status, attack } = checkSync(source, flags, { timeout: null, checker: 'automaton' }) as {
    status: string;
    attack?: { pattern: string };
  };
  return attack === undefined ? status : `${status}: ${attack.pattern}`;
}

describe('a regular expression', () => {
  it.each(literals)('$where: /$source/$flags is never slow', { timeout: TIME }, (found) => {
    expect(verdict(found)).toBe('safe');
  });

  it('would be found out if it were', { timeout: TIME }, () => {
    expect(verdict({ where: '', source: '^(a+)+$', flags: '' })).toMatch(/^vulnerable/);
    expect(verdict({ where: '', source: '/+$', flags: '' })).toMatch(/^vulnerable/);
  });
});

describe('regular expressions that are put together', () => {
  let put: readonly Found[];
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  beforeAll(async () => {
    const seen: Found[] = [];
    const Watched = class extends RegExp {
      constructor(source: string | RegExp, flags?: string) {
        super(source, flags);
        seen.push({ where: '', source: this.source, flags: this.flags });
      }
    };
    vi.stubGlobal('RegExp', Watched);
    await import('../../src/engine/syntax/number-syntax.js');
    await import('../../src/options/address.js');
    put = [...seen];
  });

  it(
    'are those of the number syntax and of addresses, of constants, and never slow',
    { timeout: TIME },
    () => {
      const syntax = 'engine/syntax/number-syntax.ts';
      expect([...made].sort()).toEqual([syntax, syntax, 'options/address.ts']);
      expect(put).toHaveLength(3);
      for (const found of put) expect(verdict(found), found.source).toBe('safe');
    },
  );
});
