import { expect, it } from 'vitest';
import { textOf } from './pages.fixture.js';

const names = Array.from(
  textOf('src/client/flipt-client.ts').matchAll(/\bcall(?:, |\()'(\w+\.\w+)'/g),
  ([, name = '']) => name,
);

it("docs/client.md says which of Flipt's operations the client has, and that it has no others", () => {
  const page = textOf('docs/client.md');
  expect(new Set(names).size).toBe(11);
  expect(page).toContain("The client has eleven of Flipt's operations");
  for (const name of names) expect(page).toContain(`client.${name}(`);
  expect(page).toMatch(/cannot create or change namespaces, flags, constraints/);
});

it.each(['README.md', 'docs/client.md'])('%s does not call the client complete', (page) => {
  expect(textOf(page)).not.toMatch(/\bcomplete\b|\ball (?:of )?(?:Flipt's )?operations\b/i);
});
