import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './pages.fixture.js';

/** The sentences that the script lists, each with its place. */
function listed(
  seed: number,
  count: number,
): readonly { readonly sentence: string; readonly place: string }[] {
  const script = join(ROOT, 'scripts/sentences.js');
  const args = [script, '--seed', String(seed), '--count', String(count)];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: Infinity });
  return [...output.matchAll(/^\d+\. (.*)\n {3}(\S+)/gm)].map(([, sentence = '', place = '']) => ({
    sentence,
    place,
  }));
}

it('lists the same sentences for the same seed, and others for another one', () => {
  const first = listed(1, 60);
  expect(new Set(first.map(({ place, sentence }) => place + sentence)).size).toBe(60);
  expect(listed(1, 60)).toEqual(first);
  expect(listed(2, 60)).not.toEqual(first);
});

it('lists whole sentences of pages and of comments, without headings, tables and samples', () => {
  const all = listed(1, 100_000);
  const find = (words: string) => all.find(({ sentence }) => sentence.includes(words))?.place;
  expect(find('This page is for the App Router on the Node.js runtime.')).toMatch(/^docs\/nextjs\.md:\d+$/);
  expect(find('What evaluates the flags of OFREP requests')).toMatch(
    /^src\/adapters\/ofrep\/ofrep-options\.ts:\d+$/,
  );
  const notProse = all.filter(({ sentence }) => /^[#|]|```|^import |^@/.test(sentence));
  expect(notProse).toEqual([]);
  expect(all.filter(({ place }) => place.startsWith('SECURITY.md')).length).toBeGreaterThan(10);
});
