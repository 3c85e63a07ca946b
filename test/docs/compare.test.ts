import { expect, it } from 'vitest';
import { textOf } from './pages.fixture.js';

interface Bench {
  readonly ROWS: Readonly<Record<string, string>>;
  readonly DOCUMENTED: Readonly<Record<string, object>>;
  readonly table: (
    measured: Readonly<Record<string, Readonly<Record<string, string>>>>,
    versions: Readonly<Record<string, string>>,
  ) => string;
}
const path = '../../bench/compare/table.js';
const { ROWS, DOCUMENTED, table } = (await import(path)) as Bench;
const names = Object.keys(DOCUMENTED);
const cellsOf = (line = '') =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

it("the README's table is one that npm run bench -- compare prints", () => {
  const [, section = ''] = textOf('README.md').split('\n## Why this one\n');
  const text = /(?:^\|.*\n)+/m.exec(section)?.[0].trimEnd() ?? '';
  const [head = [], , ...rows] = text.split('\n').map(cellsOf);
  const labels = new Map(rows.map(([label = '', ...cells]) => [label, cells]));
  const measured = names.map((name, at): [string, Readonly<Record<string, string>>] => [
    name,
    Object.fromEntries(
      Object.entries(ROWS).map(([row, label]) => [row, labels.get(label)?.[at] ?? 'missing']),
    ),
  ]);
  const versions = names.flatMap((name, at): [string, string][] => {
    const [version] = /(?<= )\d+\.\d+\.\d+$/.exec(head[at + 1] ?? '') ?? [];
    return version === undefined ? [] : [[name, version]];
  });
  expect(versions).toHaveLength(3);
  expect(text).toBe(table(Object.fromEntries(measured), Object.fromEntries(versions)));
});
