import type { Semantics } from '../../engine/features.js';
import { FeaturesError } from './features-file.js';
import { complaint } from './features-schema.js';
import type { Stamp } from '../state/records.js';

/** What goes along while one document is made into records. */
export interface DocumentImport {
  /** The words by which complaints name the document. */
  readonly where: string;
  readonly semantics: Semantics;
  readonly stamp: Stamp;
}

/** Throws the complaint about a path within the document. */
export function refuse({ where }: DocumentImport, path: string, wrong: string): never {
  throw new FeaturesError(`${where}: ${complaint(path, wrong)}`);
}

/** The records of a list by key; a key that occurs twice is refused. */
export function byKey<Written extends { readonly key: string }, Record>(
  document: DocumentImport,
  path: string,
  list: readonly Written[],
  make: (written: Written, path: string) => Record,
): ReadonlyMap<string, Record> {
  const records = new Map<string, Record>();
  for (const [index, written] of list.entries()) {
    const at = `${path}[${index}]`;
    if (records.has(written.key)) refuse(document, `${at}.key`, `"${written.key}" occurs twice`);
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
