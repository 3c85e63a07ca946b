import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './packed.fixture.js';

/** Returns the files in a folder that are written by hand, by their paths from the root. */
export function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => relative(ROOT, join(file.parentPath, file.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort();
}
