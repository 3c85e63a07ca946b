import { describe, expect, it } from 'vitest';
import { cellsOf, pages, textOf } from './pages.fixture.js';

/** As `wc -w` counts them. */
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

it('README.md has at most 900 words, so that it is read', () => {
  expect(wordsOf(textOf('README.md'))).toBeLessThanOrEqual(900);
});

it('the pages in docs have at most 14,000 words together: a new one replaces another', () => {
  const ours = pages().filter((page) => page.startsWith('docs/'));
  expect(wordsOf(ours.map(textOf).join('\n'))).toBeLessThanOrEqual(14_000);
});

describe.each(pages())('%s', (page) => {
  it('has no table cell of more than 160 characters: a cell is a phrase', () => {
    expect(cellsOf(textOf(page)).filter((cell) => cell.length > 160)).toEqual([]);
  });
});

it('cells are measured without their padding and without the line below the head', () => {
  const text = `| a | b\\|c |\n| ${'-'.repeat(200)} | - |\n| d |  ${' '.repeat(200)} |\n`;
  expect(cellsOf(text)).toEqual(['a', 'b\\|c', 'd', '']);
});
