import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { ROOT } from './packed.fixture.js';

/** The files in a folder that are written by hand, by their paths from the root. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(ROOT, join(file.parentPath, file.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort();
}

/** A test file and the fixtures that it loads. */
export function withFixtures(path: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, named = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(
    /from '(\.[^']+\.fixture)\.js'/g,
  )) {
    withFixtures(posix.join(posix.dirname(path), `${named}.ts`), found);
  }
  return found;
}
