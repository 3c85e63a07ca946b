#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runCommand } from './command.js';

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Once: who asks again, while something in flight takes long, is obeyed at once.
  process.once(signal, () => {
    end.abort();
  });
}

// Who reads what is printed may go away; the service stays.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// Built, this file is dist/cli.js.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  version,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  end: end.signal,
});
