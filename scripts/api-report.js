/*
 * Writes the public types as text: every name that an entry exports, with its declaration, without comments. It fails
 * while a declaration uses a name that no entry exports, or while anything has no doc comment.
 *
 *     node scripts/api-report.js            prints the report of what is in dist
 *     node scripts/api-report.js --accept   writes it to etc/api.md: the change is meant
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complaints, publicTypes, ts } from './public-types.js';

const printer = ts.createPrinter({ removeComments: true });

function declarationOf(statement) {
  const text = printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile());
  return text.replace(/^(export )?(declare )?/, '');
}

function entryReport({ title, names }) {
  const blocks = names.map(({ name, statements }) =>
    [`### ${name}`, '', '```ts', ...statements.map(declarationOf), '```', ''].join('\n'),
  );
  return [`## ${title}`, '', ...blocks].join('\n');
}

const HEAD = [
  '# Public types',
  '',
  'Written by `npm run api:accept` from what `npm run build` makes; a test fails when they differ.',
  'A change here is a change for users: it belongs in the changelog, and may ask for a new major version.',
  '',
];

if (complaints.length > 0) {
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = 1;
} else {
  const report = [...HEAD, ...publicTypes.map(entryReport)].join('\n').trimEnd() + '\n';
  if (process.argv.includes('--accept')) {
    writeFileSync(join(import.meta.dirname, '../etc/api.md'), report);
  } else process.stdout.write(report);
}
