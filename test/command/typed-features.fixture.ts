import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { FeaturesDocument, FlagDocument } from '../../src/local/index.js';
import { ran } from './ran.fixture.js';

export const COLOUR: FlagDocument = {
  key: 'colour',
  enabled: true,
  variants: [
    { key: 'red', attachment: { rgb: 'f00', of: [1] } },
    { key: 'blue', default: true, attachment: { rgb: '00f', of: [] } },
  ],
  rules: [{ segment: 'all', distributions: [{ variant: 'red', rollout: 50 }] }],
};
export const SWITCH: FlagDocument = { key: 'switch', type: 'BOOLEAN_FLAG_TYPE' };
export const SIZE: FlagDocument = { key: 'size', variants: [{ key: '1' }, { key: 'two', attachment: 2 }] };
export const FEATURES: FeaturesDocument = { flags: [COLOUR, SWITCH, SIZE], segments: [{ key: 'all' }] };

/** The path of a file in the test's folder. */
type At = (name: string) => string;

let files = 0;

/** Writes the features to a file of their own. */
export async function saved(at: At, features: FeaturesDocument): Promise<string> {
  const path = at(`features-${++files}.yml`);
  await writeFile(path, JSON.stringify(features));
  return path;
}

export async function written(
  at: At,
  features: FeaturesDocument,
  ...more: readonly string[]
): Promise<string> {
  const out = at(`flags-${++files}.ts`);
  const { code, err } = await ran(['types', '--features', await saved(at, features), '--out', out, ...more]);
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
}

export const textOf = (path: string) => readFile(path, 'utf8');
