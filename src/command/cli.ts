#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { systemClock } from '../base/time/clock.js';
import { oldNode } from '../options/check-options.js';
import { runCommand } from './program.js';

const tooOld = oldNode();
if (tooOld !== undefined) {
  console.error(tooOld);
  process.exit(1);
}

// The program that reads the output may end first (`| head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// Relative to dist/cli.js.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  version,
  print: (lines) => process.stdout.write(`${lines}\n`),
  complain: (lines) => process.stderr.write(`${lines}\n`),
  interrupted: () =>
    new Promise((resolve) => {
      // Once: the same signal again ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    }),
  clock: systemClock,
});
