import { markdownTable } from '../markdown-table.js';

/** The rows that are compared, in the order of the README's table. */
export const ROWS = {
  requests: 'HTTP requests for 1,000 evaluations',
  cost: 'CPU time per resolve (this one, remote = 1)',
  firstAnswer: 'first answer of a new process',
  outage: 'Flipt is down: right values for known, new users',
  start: 'Flipt is down: right values after a start',
  change: 'a change is seen after',
  stream: 'a change is seen after, with the stream (Flipt 2.9)',
  exact: 'recorded evaluations that it answers wrong',
  runtimes: 'runtimes',
  browsers: 'browsers',
};

const OURS = { runtimes: 'Node.js, Bun, Deno', browsers: 'yes, values only' };
/** The rows that are not measured. They repeat what each package's own documentation says. */
export const DOCUMENTED = {
  'this one, remote': OURS,
  'this one, in-process': OURS,
  '@openfeature/flipt-provider': { runtimes: 'Node.js', browsers: 'another package' },
  'flipt-client-js': { runtimes: 'Node.js, edge functions', browsers: 'yes, with all rules' },
  '@openfeature/ofrep-provider': { runtimes: 'servers', browsers: 'another package' },
};

/** Writes the table from the measurements of each provider, and from the versions of those that have one. */
export function table(measured, versions) {
  const names = Object.keys(DOCUMENTED);
  const cell = (row) => (name) => DOCUMENTED[name][row] ?? measured[name]?.[row] ?? '–';
  const head = ['', ...names.map((name) => [name, versions[name] ?? []].flat().join(' '))];
  return markdownTable([head, ...Object.keys(ROWS).map((row) => [ROWS[row], ...names.map(cell(row))])]);
}
