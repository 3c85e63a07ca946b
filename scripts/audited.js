/*
 * Reads what `npm audit --json` prints, and fails if it names a package whose code users run: a dependency, or a package
 * that the build inlines. `npm audit --omit=dev` would leave out the inlined packages, because they are installed only
 * where the package is built. A vulnerability of another copy, such as the old lru-cache that a test runner has below
 * itself, concerns no user: the build reads only the copy directly in node_modules.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const read = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const names = [...read('../etc/inlined.json'), ...Object.keys(read('../package.json').dependencies)];

const { vulnerabilities, message } = JSON.parse(await text(process.stdin));
if (vulnerabilities === undefined) throw new Error(`npm audit failed: ${message}`);
const found = names.filter((name) => vulnerabilities[name]?.nodes.includes(`node_modules/${name}`));
for (const name of found) console.error(`${name}: ${JSON.stringify(vulnerabilities[name].via, null, 2)}`);
if (found.length === 0) console.log(`no known vulnerability of ${names.join(', ')}`);
process.exitCode = found.length === 0 ? 0 : 1;
