import { WrongArgument } from '../../src/command/command.js';
import { readExplain } from '../../src/command/explain-flag.js';
import { readCommandLine } from '../../src/command/read-command-line.js';
import { readServe } from '../../src/command/serve/serve.js';
import { readSnapshot } from '../../src/command/write-snapshot.js';
import { readTypes } from '../../src/command/types/write-types.js';

const READ = { serve: readServe, explain: readExplain, types: readTypes, snapshot: readSnapshot } as const;

/** Returns what a command reads from its arguments, under its name, or what is wrong with them. */
export function readLine(line: string, env: Readonly<Record<string, string>> = {}) {
  const read = readCommandLine(line === '' ? [] : line.split(' '));
  if (read.kind !== 'command' || read.command === 'lint') return read;
  try {
    return { kind: read.command, [read.command]: READ[read.command](read.values, env) };
  } catch (error) {
    if (error instanceof WrongArgument) return { kind: 'wrong', message: error.message };
    throw error;
  }
}
