import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the table in SECURITY.md names tests that there are', () => {
  const named = readFileSync('SECURITY.md', 'utf8').match(/(?<=`)test\/[\w./-]+(?=`)/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});
