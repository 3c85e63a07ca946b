import { describe, expect, it } from 'vitest';
import { anchorsOf, complaintAbout, linksOf } from './links.fixture.js';
import { pages, textOf } from './pages.fixture.js';

describe.each(pages())('%s', (page) => {
  it('has only links that lead somewhere', () => {
    const complaints = linksOf(textOf(page)).map((target) => complaintAbout(target, page, textOf));
    expect(complaints.filter((complaint) => complaint !== undefined)).toEqual([]);
  });

  it('ends with one line break', () => {
    expect(textOf(page)).toMatch(/[^\n]\n$/);
  });
});

describe('the check of links', () => {
  const text = [
    '# A `first` title',
    'See [one](docs/two.md#three), ![image](<four.png>), [out](https://example.org/#a) and `[no](link)`.',
    '```md',
    '# not a heading [nor](a-link)',
    '```',
    '[five]: six.md "seven"',
    '## Same',
    '## Same',
  ].join('\n');

  it('finds links that lead elsewhere in the repository', () => {
    expect(linksOf(text)).toEqual(['docs/two.md#three', 'four.png', 'six.md']);
  });

  it('names headings as GitHub does', () => {
    expect([...anchorsOf(text)]).toEqual(['a-first-title', 'same', 'same-1']);
    expect([...anchorsOf('## What it costs, and: why? (`a.b`)')]).toEqual(['what-it-costs-and-why-ab']);
  });

  it.each([
    ['#same', undefined],
    ['#none', '#none: README.md has no such heading'],
    ['nowhere.md', 'nowhere.md: there is no nowhere.md'],
    ['../../elsewhere', '../../elsewhere: leads out of the repository'],
    ['/README.md', '/README.md: begins with /, which means something else on each site'],
    ['package.json#x', 'package.json#x: an anchor in what is no page'],
  ])('says of %s: %s', (target, complaint) => {
    expect(complaintAbout(target, 'README.md', () => text)).toBe(complaint);
  });
});
