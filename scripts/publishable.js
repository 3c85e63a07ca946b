/**
 * Refuses `npm publish` while package.json names no repository: npm resolves the README's relative links there, and
 * provenance needs it. A test passes the path of another manifest.
 */
import { readFileSync } from 'node:fs';

const path = process.argv[2] ?? new URL('../package.json', import.meta.url);
const { repository } = JSON.parse(readFileSync(path, 'utf8'));
const url = typeof repository === 'string' ? repository : repository?.url;
if (typeof url !== 'string' || url === '') {
  console.error('package.json: repository: expected the address of the public repository, got none');
  process.exitCode = 1;
}
