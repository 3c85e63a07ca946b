import type { Semantics } from '../../engine/features.js';
import type { Mistakes } from './features-error.js';
import type { Stamp } from '../state/records.js';

/** What goes along while one document is made into records. */
export interface DocumentImport {
  /** The words by which mistakes name the document. */
  readonly where: string;
  readonly semantics: Semantics;
  readonly stamp: Stamp;
  readonly mistakes: Mistakes;
}

/** Reports a mistake at a path in the document. What is made of the document is then never used. */
export function report({ where, mistakes }: DocumentImport, path: string, wrong: string): void {
  mistakes.add(where, path, wrong);
}

/** The records of a list by key; a key that occurs twice is a mistake. */
export function byKey<Written extends { readonly key: string }, Record>(
  document: DocumentImport,
  path: string,
  list: readonly Written[],
  make: (written: Written, path: string) => Record,
): ReadonlyMap<string, Record> {
  const records = new Map<string, Record>();
  for (const [index, written] of list.entries()) {
    const at = `${path}[${index}]`;
    if (records.has(written.key)) report(document, `${at}.key`, `"${written.key}" occurs twice`);
    records.set(written.key, make(written, at));
  }
  return records;
}

export function newDates({ stamp }: DocumentImport): { createdAt: string; updatedAt: string } {
  const now = new Date(stamp.date()).toISOString();
  return { createdAt: now, updatedAt: now };
}

export function newIdentity(document: DocumentImport): { id: string; createdAt: string; updatedAt: string } {
  return { id: document.stamp.id(), ...newDates(document) };
}
