import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, textOf } from './pages.fixture.js';

const pictures = readdirSync('docs').filter((name) => name.endsWith('.svg'));

/** As WCAG defines them, of a colour such as #0d1117. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const LIGHT_PAGE = '#ffffff';
const DARK_PAGE = '#0d1117';

it('measures contrast', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});

describe.each(pictures)('docs/%s', (name) => {
  const text = textOf(`docs/${name}`);
  const fills = new Map(
    [...text.matchAll(/\.([\w-]+) \{ fill: (#[0-9a-f]{6})/g)].map(([, of = '', fill = '']) => [of, fill]),
  );

  it('is shown in a page, with a text for those who do not see it', () => {
    const shown = pages().filter((page) =>
      new RegExp(`!\\[[^\\]]{20,}\\]\\((?:docs/)?${name}\\)`).test(textOf(page)),
    );
    expect(shown).not.toEqual([]);
    expect(text).toMatch(/<title>[^<]{20,}<\/title>/);
  });

  it('can be read on a light and on a dark page', () => {
    for (const [of, fill] of fills) {
      const beside = of === 'page' ? [LIGHT_PAGE, DARK_PAGE] : of === 'in' ? [] : [fills.get('in') ?? ''];
      const contrasts = beside.map((other) => contrast(fill, other));
      expect(Math.min(21, ...contrasts), of).toBeGreaterThanOrEqual(of === 'page' ? 4.2 : 4.5);
    }
    const classes = [...text.matchAll(/<text class="(\S+?)[ "]/g)].map(([, of = '']) => of);
    expect(new Set(classes)).toEqual(new Set(['page', 'in']));
  });

  it('is small, and needs nothing from elsewhere', () => {
    expect(text.length).toBeLessThan(6_000);
    expect(text.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|<image|@import/);
  });
});

describe('docs/layers.svg', () => {
  const named = [...textOf('docs/layers.svg').matchAll(/<text class="in"[^>]*>([^<]+)<\/text>/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'Flipt');
  const wire = textOf('src/provider/wire.ts');
  /** What every layer needs, and what hears of questions without being passed by them. */
  const BESIDE = /^(base|model|options|provider\/(diagnostics|snapshots|status|tracking|[\w-]+\.ts))$/;

  it('names folders of src', () => {
    const folders = named.filter(
      (name) => !statSync(join('src', name), { throwIfNoEntry: false })?.isDirectory(),
    );
    expect(folders).toEqual([]);
  });

  it('shows each layer that the provider is made of', () => {
    const imports = [...wire.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path = '']) =>
      join('provider', `${path}.ts`),
    );
    const layers = imports.map((file) => /^(?:(?:provider|remote)\/[\w.-]+|[\w-]+)/.exec(file)?.[0] ?? file);
    const missing = layers.filter((layer) => !BESIDE.test(layer) && !named.includes(layer));
    expect(missing).toEqual([]);
    expect(layers).toContain('remote/health');
  });

  it('shows the layers in the order in which src/provider/wire.ts lists them', () => {
    const [remote = ''] = /^ \* - In remote mode[^.]*\./m.exec(wire) ?? [];
    const listed = remote.match(/\b(?:provider|remote)\/[\w-]+|\bhttp\b/g) ?? [];
    expect(listed.length).toBeGreaterThan(5);
    expect(named.slice(0, listed.length)).toEqual(listed);
  });
});
