import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** What is no page of ours: built, installed, or recorded. */
const ELSEWHERE = /^(node_modules|dist|coverage|docs\/api|test\/recordings|etc|\.git)(\/|$)|\/node_modules\//;

/** Every Markdown file of the repository, by its path from the root. */
export function pages(): readonly string[] {
  return readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.md'))
    .map((file) => relative(ROOT, join(file.parentPath, file.name)).replaceAll('\\', '/'))
    .filter((page) => !ELSEWHERE.test(page))
    .sort();
}

/** Every source file that is published, likewise. */
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
  /** What stands behind the language: `continued`, `no-run`. */
  readonly marks: readonly string[];
  readonly code: string;
  /** Where its code begins, counted from 1. */
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

/** The text with its fences emptied, line by line. */
export function withoutFences(text: string): string {
  return text.replace(FENCE, (fence) => fence.replace(/[^\n]+/g, ''));
}
