import { expect } from 'vitest';
import type { Semantics } from '../../src/engine/features.js';
import type { ReadFeatures } from '../../src/features/check-documents.js';
import { FeaturesError, problemText } from '../../src/features/problem.js';
import type { NamespaceRecord } from '../../src/features/normalize.js';
import { type FeaturesSource, readFeatures } from '../../src/features/read-features.js';

export function load(
  source: FeaturesSource,
  semantics: Semantics = 'v1',
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return readFeatures(source, semantics).then(({ namespaces }) => namespaces);
}

/** What is wrong with features, whether or not they can be read. */
export async function problemsIn(source: unknown, semantics: Semantics = 'v1'): Promise<readonly string[]> {
  const read = await readFeatures(source as FeaturesSource, semantics).catch((reason: unknown) => reason);
  if (read instanceof FeaturesError) return read.message.split('\n');
  const { problems } = read as ReadFeatures;
  return problems.map((finding) => `${finding.file}: document ${finding.document}: ${problemText(finding)}`);
}

export async function complaintAbout(source: unknown, semantics: Semantics = 'v1'): Promise<string> {
  const error: unknown = await load(source as FeaturesSource, semantics).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FeaturesError);
  expect(error).toMatchObject({ code: 'ERR_FEATURES', name: 'FeaturesError' });
  return (error as Error).message;
}
