import { describe, expect, it } from 'vitest';
import { HELPS } from '../../src/command/help.js';
import { lintFile } from '../../src/features/lint/lint.js';
import { RULE_NAMES } from '../../src/features/lint/lint-rules.js';
import { quotesOf, tableOf } from './pages.fixture.js';

const named = (column: string, next: string) =>
  tableOf('docs/lint.md', column, next).flatMap(([cell = '']) => quotesOf(cell));

describe('docs/lint.md', () => {
  it('lists every rule, as the help does', () => {
    expect(named('Rule', 'It finds').sort()).toEqual([...RULE_NAMES].sort());
    const [, rules = ''] = /^Rules\n(.*?)\n\n/ms.exec(HELPS.lint) ?? [];
    expect(Array.from(rules.matchAll(/^ {2}([\w-]+)/gm), ([, name]) => name).sort()).toEqual(
      [...RULE_NAMES].sort(),
    );
  });

  it('lists every member of a finding', async () => {
    const [finding = {}] = await lintFile('flags:\n  - key: a\n', 'v1');
    expect(named('Member', 'Content').sort()).toEqual(Object.keys(finding).sort());
  });
});
