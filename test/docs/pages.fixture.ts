import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The pages in these folders are not part of the docs: they are built, installed or recorded. */
const ELSEWHERE = /^(node_modules|dist|coverage|test\/recordings|\.git)(\/|$)|\/node_modules\//;

/** Returns every Markdown file of the repository, by its path from the root. */
export function pages(): readonly string[] {
  return readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.md'))
    .map((file) => relative(ROOT, join(file.parentPath, file.name)).replaceAll('\\', '/'))
    .filter((page) => !ELSEWHERE.test(page))
    .sort();
}

/** Returns every published source file, by its path from the root. */
export function sources(): readonly string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .sort();
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export interface Fence {
  readonly language: string;
  /** The words after the language, such as `continued` and `no-run`. */
  readonly marks: readonly string[];
  readonly code: string;
  /** The line where the code begins, counted from 1. */
  readonly line: number;
}

const FENCE = /^( *)(`{3,})([^\n`]*)\n([\s\S]*?)^\1\2[ \t]*$/gm;

export function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const [, indent = '', , info = '', code = ''] = match;
    const [language = '', ...marks] = info.trim().split(/\s+/);
    return {
      language,
      marks,
      code: code.replace(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, match.index).split('\n').length + 1,
    };
  });
}

/** Returns the text with its fences emptied, line by line. */
export function withoutFences(text: string): string {
  return text.replace(FENCE, (fence) => fence.replace(/[^\n]+/g, ''));
}

/** Returns the texts between backticks in the prose, in their order. */
export function quotesOf(text: string): readonly string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, quote = '']) => quote);
}

/** Returns the cells of a line of a table. */
function cellsOfLine(line: string): readonly string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

/** Returns the cells of all tables, without the lines below their heads. */
export function cellsOf(text: string): readonly string[] {
  const lines = withoutFences(text).split('\n');
  return lines.filter((line) => /^\|(?! ?:?--)/.test(line)).flatMap(cellsOfLine);
}

/**
 * Returns the rows of the table whose head begins with these cells, without the head. Throws if there is no such table.
 */
export function tableOf(page: string, ...head: readonly string[]): readonly (readonly string[])[] {
  const lines = withoutFences(textOf(page)).split('\n');
  const first = lines.findIndex(
    (line) => line.startsWith('|') && head.every((name, at) => cellsOfLine(line)[at] === name),
  );
  if (first < 0) throw new Error(`${page} has no table with the columns ${head.join(', ')}`);
  const rows = lines.slice(first + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(cellsOfLine);
}
