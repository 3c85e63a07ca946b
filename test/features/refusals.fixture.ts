import { readFileSync } from 'node:fs';
import { checkReferences } from '../../src/features/check-references.js';
import { FeaturesError } from '../../src/features/features-error.js';
import { refusedBy } from '../../src/features/find-refusals.js';
import { refusersIn } from '../../src/features/refused-mistakes.js';
import type { FileReader } from '../../src/features/format-versions.js';
import { readDocuments } from '../../src/features/read-features.js';
import type { Semantics } from '../../src/engine/features.js';

const RECORDED = new URL('../recordings/refusals/', import.meta.url);

/** A document, and the names of the real servers that accepted it or refused it. */
export interface Judged {
  readonly name: string;
  readonly text: string;
  readonly takenBy: readonly string[];
  readonly refusedBy: readonly string[];
}

/** Each server that was asked, with the reader and the semantics by which this project reads as it does. */
export const SERVERS: Readonly<Record<string, readonly [FileReader, Semantics]>> = {
  'v1 import': ['v1 import', 'v1'],
  'v1 files': ['v1 files', 'v1'],
  '2.8': ['2.9', 'v2.8'],
  '2.11': ['2.11', 'v2'],
  next: ['next', 'v2'],
};

export function judgedDocuments(): readonly Judged[] {
  const lines = readFileSync(new URL('documents.jsonl', RECORDED), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Judged);
}

/** Returns where one server and this project differ, such as `2.11 taken, here unreadable: NAME`. */
export async function differencesFrom(server: string): Promise<readonly string[]> {
  const different: string[] = [];
  for (const { name, text, takenBy } of judgedDocuments()) {
    const real = takenBy.includes(server) ? 'taken' : 'refused';
    const here = await verdictOf(text, server);
    if (here === real || (real === 'refused' && here === 'no YAML')) continue;
    different.push(`${server} ${real}, here ${here === 'no YAML' ? 'unreadable' : here}: ${name}`);
  }
  return different;
}

/** Returns the differences that are known. */
export function knownDifferences(): readonly string[] {
  return readFileSync(new URL('differences.txt', RECORDED), 'utf8').trim().split('\n');
}

/**
 * Returns what `lint` says of a document. `unreadable` means that only this package refuses it; `no YAML` means that it
 * cannot be read at all.
 */
async function verdictOf(text: string, server: string) {
  const [reader, semantics] = SERVERS[server] ?? ['2.11', 'v2'];
  try {
    // The line break makes this a text: a string without one is taken as a path.
    const { documents, mistakes } = await readDocuments(`${text}\n`, semantics);
    const readable = documents.map(({ index }) => index);
    if (mistakes.found.some(({ document }) => !readable.includes(document))) return 'no YAML';
    checkReferences(documents, semantics);
    const refused = refusedBy(
      reader,
      documents.map(({ given }) => given),
    ).flat();
    const isMistakeRefused = documents.some(({ given, index }) => {
      const own = mistakes.found.filter(({ document }) => document === index);
      const refusersOf = refusersIn(given, own);
      return own.some((mistake) => refusersOf(mistake).includes(reader));
    });
    if (refused.length > 0 || isMistakeRefused) return 'refused';
    return mistakes.found.length > 0 ? 'unreadable' : 'taken';
  } catch (error) {
    if (error instanceof FeaturesError) return 'no YAML';
    throw error;
  }
}
