import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileFeatures, type CompiledFeatures } from '../../src/engine/compile.js';
import { explain } from '../../src/engine/explain.js';
import { explanationText } from '../../src/engine/explanation-text.js';
import { casesOf, namespacesOf, questionOf, RECORDINGS } from './recordings.fixture.js';

/*
 * People have read recorded-words.txt: twenty recorded cases that show each way to match or not, each as
 * `recording:line` and its explanation.
 */

const TEXT = readFileSync(new URL('recorded-words.txt', import.meta.url), 'utf8');
const CASES = TEXT.trim()
  .split('\n\n')
  .map((block) => {
    const [id = '', ...words] = block.split('\n');
    return [id, words.join('\n')] as const;
  });

const compiled = new Map<string, CompiledFeatures>();
beforeAll(async () => {
  for (const recording of RECORDINGS) {
    for (const [namespace, features] of await namespacesOf(recording)) {
      const key = `${recording.name}.${recording.semantics} ${namespace}`;
      compiled.set(key, compileFeatures(features, recording.semantics));
    }
  }
});

describe('a recorded case in words', () => {
  it.each(CASES)('%s', (id, words) => {
    const [name = '', line = ''] = id.split(':');
    const recording = RECORDINGS.find((one) => `${one.name}.${one.semantics}` === name)!;
    const question = questionOf(casesOf(recording)[Number(line) - 1]!);
    expect(explanationText(explain(compiled.get(`${name} ${question.namespace}`), question))).toBe(words);
  });

  it('is one of twenty', () => {
    expect(CASES).toHaveLength(20);
  });

  it.each([
    'which is no boolean',
    'which is no date-time',
    'which is no number',
    'there is no value',
    'does not match, the value is',
    'matches, the value is',
    'it has no constraints',
    'it needs all of its constraints',
    'it needs one of its constraints',
    'it needs all of its segments',
    'it needs one of its segments',
    'was not reached',
    'the flag is disabled',
    'there is no such flag',
    'which distributes no variant',
    'whose distributions leave the entity out',
    'so the default variant counts',
    'there is no default variant',
    "so the flag's own state counts",
    'the entity id',
    'date-time ',
    ', chosen',
    '% of entities, this one is at',
  ])('shows: %s', (words) => {
    expect(TEXT).toContain(words);
  });
});
