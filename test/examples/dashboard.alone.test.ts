import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly description: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** The names of docs/operating.md, which another test compares with the code, as Prometheus writes them. */
function published(): ReadonlySet<string> {
  const [, table = ''] = /\n\| Metric [^\n]*\n\|[-| ]*\|\n(.*?)\n\n/s.exec(read('docs/operating.md')) ?? [];
  const names = table.split('\n').flatMap((row) => {
    const [, cell = '', kinds = ''] = row.split('|');
    return [...cell.matchAll(/`([\w.]+)`/g)].flatMap(([, name = '']) => {
      const base = `openfeature_flipt_${name.replaceAll('.', '_')}`;
      return [
        ...(kinds.includes('counter') ? [`${base}_total`] : []),
        ...(kinds.includes('gauge') ? [base] : []),
        ...(kinds.includes('histogram') ? [`${base}_bucket`] : []),
      ];
    });
  });
  return new Set(names);
}

it('asks in its panels and its alerts for metrics that there are', () => {
  const { panels } = JSON.parse(read('examples/metrics/dashboard.json')) as Dashboard;
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = [...queries, read('examples/metrics/README.md')].flatMap((text) =>
    [...text.matchAll(/\bopenfeature_flipt_\w+(?=[{)[\]]|`)/g)].map(([name]) => name),
  );
  const labels = /_(state|problem|outcome|source|result|reason)$/;
  const metrics = [...new Set(asked)].filter((name) => !labels.test(name));
  expect(metrics.length).toBeGreaterThan(7);
  expect(metrics.filter((name) => !published().has(name))).toEqual([]);
  expect(panels.filter(({ description }) => description === '')).toEqual([]);
});
