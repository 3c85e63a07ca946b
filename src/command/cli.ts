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
// A handler runs only between two tasks, so it would keep a busy command alive.
const endsByItself = ['serve', 'explain'].includes(process.argv[2] ?? '');
for (const signal of endsByItself ? (['SIGINT', 'SIGTERM'] as const) : []) {
  // The handler of a signal runs only once. If the same signal comes again, Node ends the process at once, even while a
  // request is in flight.
  process.once(signal, () => {
    end.abort();
  });
}

// If the program that reads the output ends first (`| head`), writing the output fails. A failed write must not end
// this process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// The path is relative to dist/cli.js, which the build makes of this file.
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
