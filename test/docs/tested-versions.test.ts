import { expect, it } from 'vitest';
import { tableOf, textOf } from './pages.fixture.js';

interface Manifest {
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
}
const { engines, peerDependencies } = JSON.parse(textOf('package.json')) as Manifest;
const { packages } = JSON.parse(textOf('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};
const versionsIn = (text = '') => text.match(/\d+\.\d+\.\d+/g) ?? [];
const lowestOf = (peer: string) => versionsIn(peerDependencies[peer]).slice(0, 1);
const locked = (paths: readonly string[]) =>
  paths.flatMap((path) => packages[path.replace('~', 'node_modules')]?.version ?? []);
const NEST = '@nestjs/common';

const [, list = ''] = textOf('docs/runtimes.md').split('## Tested versions');
const rows = new Map(
  [...list.matchAll(/^- \*\*(.+)\*\*: (.*)$/gm)].map(([, of = '', tested = '']) => [of, tested]),
);

it.each([
  [
    'Nest',
    NEST,
    [
      `test/adapters/nest/versions/ten/~/${NEST}`,
      `~/${NEST}`,
      `test/adapters/nest/versions/twelve/~/${NEST}`,
    ],
  ],
  ['Express', 'express', ['~/express4', '~/express']],
  ['redis', 'redis', ['~/redis5', '~/redis']],
  ['ioredis', 'ioredis', ['~/ioredis5', '~/ioredis']],
  ['iovalkey', 'iovalkey', []],
  ['@openfeature/server-sdk', '@openfeature/server-sdk', ['~/@openfeature/server-sdk']],
])('of %s, the lowest that the manifest allows and those of the lockfile', (row, peer, installed) => {
  expect(versionsIn(rows.get(row))).toEqual([...lowestOf(peer), ...locked(installed)]);
});

it('of Node, the lowest and all lines of the matrix', async () => {
  const path = '../../scripts/nodes.js';
  const { LINES } = (await import(path)) as { readonly LINES: readonly string[] };
  const said = rows.get('Node.js') ?? '';
  expect(versionsIn(said)).toEqual(versionsIn(engines.node));
  expect(said.match(/\b\d\d\b(?!\.)/g)).toEqual(LINES);
});

it('of Flipt, what the page about its versions says', () => {
  const tried = tableOf('docs/in-process.md', 'Flipt', 'Tried').map(([, cell]) => cell);
  expect(versionsIn(rows.get('Flipt'))).toEqual(versionsIn(tried.join()));
});
