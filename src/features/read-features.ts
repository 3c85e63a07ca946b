import type { Semantics } from '../engine/features.js';
import { checkReferences } from './check-references.js';
import { readDocuments, type FeaturesSource } from './read-documents.js';
import { recordedFeatures } from './recorded-features.js';
import { systemStamp, type NamespaceRecord } from './records.js';

/**
 * The features of each namespace in the documents. There is always a namespace `default`. Rejects with a
 * {@link FeaturesError} that reports all mistakes.
 */
export async function readFeatures(
  source: FeaturesSource,
  semantics: Semantics,
  stamp = systemStamp,
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  const { documents, mistakes } = await readDocuments(source, semantics);
  checkReferences(documents, semantics, ({ name }) => mistakes.of(name));
  mistakes.throwIfAny();
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  const read = documents.flatMap(({ content }) =>
    content ? recordedFeatures(content, semantics, stamp) : [],
  );
  return new Map([empty, ...read].map((namespace) => [namespace.key, namespace]));
}
