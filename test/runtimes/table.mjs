const MARKS = ['<!-- written by npm run test:runtimes -->', '<!-- end -->'];

/** A row for each runtime. */
export function tableOf(runtimes) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    row(['Runtime', 'Steps', 'Failed']),
    row(['---', '---', '---']),
    ...runtimes.map(({ title, results }) => {
      const failed = results.filter(({ failure }) => failure !== undefined).map(({ name }) => name);
      return row([title, results.length, failed.join(', ') || 'none']);
    }),
  ].join('\n');
}

/** The page with another table between its marks. */
export function withTable(page, table) {
  const [begin, end] = MARKS.map((mark) => page.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error('docs/runtimes.md has no place for the table');
  return `${page.slice(0, begin)}${MARKS[0]}\n\n${table}\n\n${page.slice(end)}`;
}
