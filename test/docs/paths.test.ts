import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, quotesOf, ROOT, textOf } from './pages.fixture.js';

const foldersIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    // Of a reader's own folder, which has other packages.
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name);

/** The folders in which a page's paths begin: the root, or src/, as in the table of state owners. */
const STARTS = ['', 'src'].flatMap((start) => foldersIn(start).map((folder) => ({ start, folder })));
/** Paths that a script writes, or of an example adapter that does not exist. */
const ABSENT = new Set(['docs/api', 'src/hapi', 'test/hapi', 'examples/hapi']);

/** The quoted paths of a page that do not exist. */
function missingPaths(text: string): readonly string[] {
  const paths = quotesOf(text).filter((quote) => /^(?:[\w.-]+\/)+[\w.-]*$/.test(quote));
  return paths.filter((path) => {
    const starts = STARTS.filter(({ folder }) => path.startsWith(`${folder}/`));
    const exists = starts.some(({ start }) => existsSync(join(ROOT, start, path)));
    return starts.length > 0 && !exists && !ABSENT.has(path);
  });
}

describe.each(pages())('%s', (page) => {
  it('names only files and folders that exist', () => {
    expect(missingPaths(textOf(page))).toEqual([]);
  });
});

it('finds a path that leads nowhere, from the root and from src/', () => {
  const text = '`src/index.ts` `src/gone.ts` `engine/crc32.ts` `engine/gone.ts` `some/thing` `npm run x`';
  expect(missingPaths(text)).toEqual(['src/gone.ts', 'engine/gone.ts']);
});
