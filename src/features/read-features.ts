import type { Semantics } from '../engine/features.js';
import { checkReferences } from './check-references.js';
import { managedFeatures, type ManagedFeatures } from './managed-features.js';
import { readDocuments, type FeaturesSource } from './read-documents.js';

/**
 * The features of each namespace in the documents. There is always a namespace `default`. Rejects with a
 * {@link FeaturesError} that reports all mistakes.
 */
export async function readFeatures(
  source: FeaturesSource,
  semantics: Semantics,
): Promise<ReadonlyMap<string, ManagedFeatures>> {
  const { documents, mistakes } = await readDocuments(source, semantics);
  checkReferences(documents, semantics, ({ name }) => mistakes.of(name));
  mistakes.throwIfAny();
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  const managed = documents.flatMap(({ content }) => (content ? managedFeatures(content, semantics) : []));
  return new Map([empty, ...managed].map((namespace) => [namespace.key, namespace]));
}
