/**
 * Refuses `npm publish` while package.json does not say where the package comes from. npm shows this address, its
 * provenance needs it, and the README links to it. A test passes the path of another manifest.
 */
import { readFileSync } from 'node:fs';
import { addressOf, isPlaceholder } from './address.js';

const path = process.argv[2] ?? new URL('../package.json', import.meta.url);
const manifest = JSON.parse(readFileSync(path, 'utf8'));
const { homepage, bugs } = manifest;
const links = { homepage, bugs: typeof bugs === 'string' ? bugs : bugs?.url };

const complaints = addressOf(manifest) ? [] : ['repository: expected the address of the public repository'];
for (const [name, url] of Object.entries(links)) {
  if (!URL.canParse(url) || isPlaceholder(url)) complaints.push(`${name}: expected the address of a page`);
}
for (const complaint of complaints) console.error(`package.json: ${complaint}`);
if (complaints.length > 0) {
  console.error('npm run repository -- https://github.com/NAME/REPOSITORY writes what is missing');
  process.exitCode = 1;
}
