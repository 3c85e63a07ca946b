import { randomUUID } from 'node:crypto';
import type { Features, Semantics } from '../../engine/features.js';
import { type FeaturesSource, readFeatures } from './features-file.js';
import { importFeatures } from './import-features.js';

/** The features of each namespace in the documents, only for evaluation. Rejects with a {@link FeaturesError}. */
export async function importDocuments(
  source: FeaturesSource,
  semantics: Semantics,
): Promise<ReadonlyMap<string, Features>> {
  return importFeatures(await readFeatures(source, semantics), semantics, { date: Date.now, id: randomUUID });
}
