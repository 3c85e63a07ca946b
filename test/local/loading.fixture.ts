import { expect } from 'vitest';
import type { Semantics } from '../../src/engine/features.js';
import { FeaturesError } from '../../src/local/features/features-error.js';
import { type FeaturesSource, readFeatures } from '../../src/local/features/features-file.js';
import { importFeatures } from '../../src/local/features/import-features.js';
import type { NamespaceRecord } from '../../src/local/state/records.js';
import { fixedStamp } from './requests.fixture.js';

export async function load(
  source: FeaturesSource,
  semantics: Semantics = 'v1',
): Promise<ReadonlyMap<string, NamespaceRecord>> {
  return importFeatures(await readFeatures(source, semantics), semantics, fixedStamp());
}

export async function complaintAbout(source: unknown, semantics: Semantics = 'v1'): Promise<string> {
  const error: unknown = await load(source as FeaturesSource, semantics).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FeaturesError);
  expect(error).toMatchObject({ code: 'ERR_FEATURES', name: 'FeaturesError' });
  return (error as Error).message;
}
