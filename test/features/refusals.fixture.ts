import { readFileSync } from 'node:fs';
import type { Version } from '../../src/features/flipt-refuses.js';
import { INVALID, REFUSED, YAML } from '../../src/features/problem.js';
import { checkText } from '../../src/features/read-features.js';

const RECORDED = new URL('../recordings/refusals/', import.meta.url);

/** A document, and the names of the real servers that accepted it or refused it. */
export interface Judged {
  readonly name: string;
  readonly text: string;
  readonly takenBy: readonly string[];
  readonly refusedBy: readonly string[];
}

/** Each server that was asked, with the version by which this project reads as it does. */
export const SERVERS: Readonly<Record<string, Version>> = {
  'v1 import': 'v1',
  'v1 files': 'v1-files',
  '2.8': 'v2.8',
  '2.11': 'v2.11',
};

export function judgedDocuments(): readonly Judged[] {
  const lines = readFileSync(new URL('documents.jsonl', RECORDED), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Judged);
}

/** Where one server and this project differ, such as `2.11 taken, here unreadable: NAME`. */
export async function differencesFrom(server: string): Promise<readonly string[]> {
  const different: string[] = [];
  for (const { name, text, takenBy } of judgedDocuments()) {
    const real = takenBy.includes(server) ? 'taken' : 'refused';
    const here = await verdictOf(text, SERVERS[server] ?? 'v2.11');
    if ((here === 'taken') !== (real === 'taken')) different.push(`${server} ${real}, here ${here}: ${name}`);
  }
  return different;
}

/** Returns the differences that are known. */
export function knownDifferences(): readonly string[] {
  return readFileSync(new URL('differences.txt', RECORDED), 'utf8').trim().split('\n');
}

/** `unreadable` means that only this package refuses the document. */
async function verdictOf(text: string, version: Version) {
  const { findings } = checkText({ file: 'features', text: `${text}\n` }, version);
  const rules = new Set(findings.map(({ rule }) => rule));
  if (rules.has(REFUSED)) return 'refused';
  return rules.has(INVALID) || rules.has(YAML) ? 'unreadable' : 'taken';
}
