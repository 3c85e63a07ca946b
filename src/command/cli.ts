#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { oldNode } from '../base/text/old-node.js';
import { systemClock } from '../base/time/clock.js';
import { runCommand } from './run-command.js';

const tooOld = oldNode();
if (tooOld !== undefined) {
  console.error(tooOld);
  process.exit(1);
}

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The handler runs only once. A second signal then ends the process at once, even if a request in flight takes long.
  process.once(signal, () => {
    end.abort();
  });
}

// If the reader of a pipe ends (`| head`), writing fails, which must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// After the build, this file is dist/cli.js.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  version,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  end: end.signal,
  clock: systemClock,
});
