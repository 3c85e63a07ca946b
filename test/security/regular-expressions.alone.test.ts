import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from 'recheck';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isNode, placesOf, type SyntaxNode } from './syntax.fixture.js';

/*
 * For each of our regular expressions, recheck decides whether a text exists that makes it slow, polynomially or worse,
 * and shows that text. It runs its program for this machine or, if there is none, the same code as JavaScript, which
 * takes ten times as long. Its limit is a number of steps, not a time.
 */
vi.stubEnv('RECHECK_BACKEND', 'auto');
const TIME = 60_000;

const SRC = join(import.meta.dirname, '../../src');
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** The member of a node that is the literal of a regular expression. */
const isExpression = (value: unknown): value is { readonly pattern: string; readonly flags: string } =>
  typeof value === 'object' && value !== null && 'pattern' in value;
const isRegExp = (value: unknown) => isNode(value) && value.type === 'Identifier' && value.name === 'RegExp';
/** A place where a regular expression is made when the code runs. */
const makesOne = ({ type, callee }: SyntaxNode) =>
  (type === 'NewExpression' || type === 'CallExpression') && isRegExp(callee);

const literals: Found[] = [];
const made: string[] = [];
for (const file of files) {
  for (const { node } of placesOf(readFileSync(join(SRC, file), 'utf8'), 'ts')) {
    if (isExpression(node.regex)) {
      literals.push({ where: file, source: node.regex.pattern, flags: node.regex.flags });
    }
    if (makesOne(node)) made.push(file.replaceAll('\\', '/'));
  }
}

async function verdict({ source, flags }: Found): Promise<string> {
  // Only the search for a slow text knows assertions that look ahead or behind.
  const checker = /\(\?<?[=!]/.test(source) ? 'fuzz' : 'automaton';
  const { status, attack } = (await check(source, flags, { timeout: null, checker })) as {
    status: string;
    attack?: { pattern: string };
  };
  return attack === undefined ? status : `${status}: ${attack.pattern}`;
}

describe('a regular expression', () => {
  it.each(literals)('$where: /$source/$flags is never slow', { timeout: TIME }, async (found) => {
    expect(await verdict(found)).toBe('safe');
  });

  it('would be reported if it were slow', { timeout: TIME }, async () => {
    expect(await verdict({ where: '', source: '^(a+)+$', flags: '' })).toMatch(/^vulnerable/);
    expect(await verdict({ where: '', source: '/+$', flags: '' })).toMatch(/^vulnerable/);
    expect(await verdict({ where: '', source: '(?<!b)(?:a+)+$', flags: '' })).toMatch(/^vulnerable/);
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
    await import('../../src/engine/go-syntax.js');
    put = [...seen];
  });

  it('are those of the number syntax, of constants, and never slow', { timeout: TIME }, async () => {
    const syntax = 'engine/go-syntax.ts';
    expect(made).toEqual([syntax, syntax]);
    expect(put).toHaveLength(2);
    for (const found of put) expect(await verdict(found), found.source).toBe('safe');
  });
});
