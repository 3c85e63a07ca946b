/*
 * Reads what `npm audit --json` prints, and fails if it names a package whose code users run: a dependency, or a package
 * that the build inlines. `npm audit --omit=dev` would leave out the inlined packages, because they are installed only
 * where the package is built.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const read = (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const names = [...read('../etc/inlined.json'), ...Object.keys(read('../package.json').dependencies)];

const { vulnerabilities, message } = JSON.parse(await text(process.stdin));
if (vulnerabilities === undefined) throw new Error(`npm audit failed: ${message}`);
const found = names.filter((name) => Object.hasOwn(vulnerabilities, name));
for (const name of found) console.error(`${name}: ${JSON.stringify(vulnerabilities[name].via, null, 2)}`);
if (found.length === 0) console.log(`no known vulnerability of ${names.join(', ')}`);
process.exitCode = found.length === 0 ? 0 : 1;
