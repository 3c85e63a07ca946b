import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeaturesDocument } from '../../../src/local/index.js';
import { lintFile } from './linted.fixture.js';
import { arbitraryDocument, arbitraryQuestions } from './arbitrary-documents.fixture.js';
import { isTrue } from './true-finding.fixture.js';

/** Flipt v2 refuses an attachment that is a text. */
const withoutTexts = (document: FeaturesDocument): FeaturesDocument => ({
  ...document,
  flags: (document.flags ?? []).map((flag) => ({
    ...flag,
    variants: (flag.variants ?? []).map(({ key, default: isDefault }) => ({
      key,
      default: isDefault ?? false,
    })),
  })),
});

/** The documents are not complete, and an error would hide what surprises. */
const REFUSED_OFF = { rules: new Map([['refused', 'off']] as const) };

describe.each(['v1', 'v2'] as const)('with the rules of %s', (semantics) => {
  const arbitrary = semantics === 'v1' ? arbitraryDocument : arbitraryDocument.map(withoutTexts);

  it('every finding is true, whatever the features and the questions', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, arbitraryQuestions, async (document, questions) => {
        for (const finding of await lintFile(JSON.stringify(document), semantics, REFUSED_OFF)) {
          const holds = await isTrue(finding, { document, semantics, questions });
          expect(holds, `${finding.rule} ${finding.path}: ${finding.problem}`).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('such features have findings of every rule', async () => {
    const samples = fc.sample(arbitrary, { numRuns: 60, seed: 1 });
    const found = await Promise.all(
      samples.map((document) => lintFile(JSON.stringify(document), semantics, REFUSED_OFF)),
    );
    const rules = [...new Set(found.flat().map(({ rule }) => rule))].sort();
    expect(rules).toEqual(
      [
        'boolean-variants',
        'missing-type',
        'never-matches',
        'rollout-sum',
        'small-percentage',
        'single-value',
        ...(semantics === 'v1' ? ['text-attachment'] : []),
        'unreachable-rule',
        'unused-segment',
      ].sort(),
    );
  });
});
