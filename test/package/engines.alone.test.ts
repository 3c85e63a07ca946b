import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const textOf = (name: string) => readFileSync(join(ROOT, name), 'utf8');

interface Locked {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly optional?: true;
}
const { packages } = JSON.parse(textOf('package-lock.json')) as {
  packages: Readonly<Record<string, Locked>>;
};
const { engines, dependencies } = JSON.parse(textOf('package.json')) as {
  readonly engines: { readonly node: string };
  readonly dependencies: object;
};
const { satisfies } = createRequire(import.meta.url)('semver') as {
  readonly satisfies: (version: string, range: string) => boolean;
};

/** Packages of the lockfile that npm warns of, with EBADENGINE, on this Node. */
const warnedOf = (node: string) =>
  Object.entries(packages).filter(
    ([, { engines: { node: range } = {}, optional }]) => !optional && range && !satisfies(node, range),
  );
it('npm ci warns of no package on the lowest Node for contributors, nor on newer lines', () => {
  expect(textOf('CONTRIBUTING.md')).toContain('Install Node.js 20.19 or newer');
  const warned = ['20.19.0', '22.20.0', '24.12.0', '26.0.0'].flatMap(warnedOf);
  expect(warned.map(([path, { version, engines: of }]) => [path, version, of?.node])).toEqual([]);
});

it('what users install runs on the lowest Node that the manifest names', () => {
  expect(engines.node).toBe('>=20.18.1');
  const installed = Object.keys(dependencies).map((name) => packages[`node_modules/${name}`]);
  const ranges = installed.map((one) => one?.engines?.node ?? '*');
  expect(ranges.filter((range) => !satisfies('20.18.1', range))).toEqual([]);
});
