import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lintFile } from './linted.fixture.js';
import { ROOT } from '../../docs/pages.fixture.js';

const RECORDINGS = join(ROOT, 'test/recordings');

/** Returns what the linter says of each recorded features file, with a line for each finding. */
export async function findingsInRecordings(): Promise<readonly string[]> {
  const files = readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.yml$|^features\/[^/]*\.v[12]\.json$/.test(file));
  const found = await Promise.all(
    files.sort().map(async (file) => {
      const findings = await lintFile(join(RECORDINGS, file), /\.v2\./.test(file) ? 'v2' : 'v1');
      return findings.map(
        ({ line, column, rule, path, problem }) => `${file}:${line}:${column} ${rule} ${path}: ${problem}`,
      );
    }),
  );
  return found.flat();
}
