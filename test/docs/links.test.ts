import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { pages, ROOT, textOf, withoutFences } from './pages.fixture.js';

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...withoutFences(textOf(page)).matchAll(/^#{1,6} +(.+?) *$/gm)];
  const names = headings.map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((other) => other === name).length;
    return before === 0 ? name : `${name}-${before}`;
  });
}

/** The targets of links and pictures in Markdown and HTML, without those on other sites. */
function linksOf(page: string): readonly string[] {
  const prose = withoutFences(textOf(page)).replace(/`[^`\n]*`/g, '');
  const found = prose.matchAll(/\]\(([^)\s]+)[^)]*\)|\b(?:href|src|srcset)="([^"]+)"|^\[[^\]]+\]: (\S+)/gm);
  const targets = [...found].map(([, inline, html, reference]) => inline ?? html ?? reference ?? '');
  return targets.filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  return existsSync(join(ROOT, file)) && (anchor === undefined || anchorsOf(file).includes(anchor));
}

it.each(pages())('the links of %s lead somewhere', (page) => {
  expect(linksOf(page).filter((target) => !leadsSomewhere(page, target))).toEqual([]);
});
