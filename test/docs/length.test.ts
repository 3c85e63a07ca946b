import { expect, it } from 'vitest';
import { textOf } from './pages.fixture.js';

/** As `wc -w` counts them. */
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

it('README.md has at most 1,100 words, so that it is read', () => {
  expect(wordsOf(textOf('README.md'))).toBeLessThanOrEqual(1_100);
});
