import { expect, it } from 'vitest';
import { sources, textOf } from './pages.fixture.js';

const names = sources()
  .filter((file) => file.startsWith('src/client/operations/'))
  .flatMap((file) => [...textOf(file).matchAll(/name: '(\w+\.\w+)', method|name: '(\w+\.\w+)',\n/g)])
  .map(([, inLine, onLine]) => inLine ?? onLine ?? '');

it("docs/client.md says which of Flipt's operations the client has, and that it has no others", () => {
  const page = textOf('docs/client.md');
  expect(new Set(names).size).toBe(10);
  expect(page).toContain("The client has ten of Flipt's operations");
  for (const name of names) expect(page).toContain(`client.${name}(`);
  expect(page).toMatch(/cannot create or change namespaces, flags, constraints/);
});

it.each(['README.md', 'docs/client.md'])('%s does not call the client complete', (page) => {
  expect(textOf(page)).not.toMatch(/\bcomplete\b|\ball (?:of )?(?:Flipt's )?operations\b/i);
});
