const MARKS = ['<!-- written by npm run test:runtimes -->', '<!-- end -->'];

/** A row for each step, a column for each runtime. */
export function tableOf(columns) {
  const names = [...new Set(columns.flatMap(({ results }) => results.map(({ name }) => name)))];
  const cell = (name) => (column) => {
    const result = column.results.find((one) => one.name === name);
    if (result === undefined) return '–';
    return result.failure === undefined ? 'yes' : 'no';
  };
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    row(['Step', ...columns.map(({ title }) => title)]),
    row(['---', ...columns.map(() => '---')]),
    ...names.map((name) => row([name, ...columns.map(cell(name))])),
  ].join('\n');
}

/** The page with another table between its marks. */
export function withTable(page, table) {
  const [begin, end] = MARKS.map((mark) => page.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error('docs/runtimes.md has no place for the table');
  return `${page.slice(0, begin)}${MARKS[0]}\n\n${table}\n\n${page.slice(end)}`;
}
