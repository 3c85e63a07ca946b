import { expect } from 'vitest';
import type { Semantics } from '../../src/engine/features.js';
import { FeaturesError } from '../../src/features/features-error.js';
import type { NamespaceRecord } from '../../src/features/records.js';
import { type FeaturesSource, readFeatures } from '../../src/features/read-features.js';

export function load(
  source: FeaturesSource,
  semantics: Semantics = 'v1',
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return readFeatures(source, semantics);
}

export async function complaintAbout(source: unknown, semantics: Semantics = 'v1'): Promise<string> {
  const error: unknown = await load(source as FeaturesSource, semantics).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FeaturesError);
  expect(error).toMatchObject({ code: 'ERR_FEATURES', name: 'FeaturesError' });
  return (error as Error).message;
}
