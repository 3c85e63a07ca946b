/*
 * Runs an example or a benchmark by its name, with the package that it builds first, if it uses the package:
 *
 *     npm run example -- nest
 *     npm run bench -- snapshot
 *
 * Without a name, it lists the names. What follows the name is passed on.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { NAMED } from './named-scripts.js';

const ROOT = join(import.meta.dirname, '..');

const [kind = '', name, ...rest] = process.argv.slice(2);
const named = NAMED[kind];
if (named === undefined) throw new Error(`expected ${Object.keys(NAMED).join(' or ')}, got ${kind}`);
if (name === undefined || !Object.hasOwn(named, name)) {
  const lines = Object.entries(named).map(
    ([one, [, shows]]) => `  npm run ${kind} -- ${one.padEnd(14)} ${shows}`,
  );
  const unknown = name === undefined ? '' : `There is no ${kind} ${name}.\n`;
  console.log(`${unknown}${lines.join('\n')}`);
  process.exit(name === undefined ? 0 : 1);
}
const [commands] = named[name];
const env = { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter) };
const all = [
  ...(commands.startsWith('tsx bench/') ? [] : ['npm run --silent build']),
  ...commands.split(' && '),
];
for (const [at, command] of all.entries()) {
  // The last command gets what follows the name.
  const line =
    at === all.length - 1 ? [command, ...rest.map((one) => JSON.stringify(one))].join(' ') : command;
  const { status } = spawnSync(line, { cwd: ROOT, env, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}
