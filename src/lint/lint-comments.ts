import { didYouMean } from '../text/closest-name.js';
import { quoted } from '../text/describe.js';
import type { Comment } from '../features/yaml/comments.js';
import type { TextPosition } from '../features/features-error.js';
import type { Sentences } from './finding.js';

const LINE = 'flipt-lint-ignore';
const FILE = 'flipt-lint-ignore-file';
const DIRECTIVE = /^\s*(flipt-lint[\w-]*):?(.*)$/s;

/**
 * What the comments of a file say to the linter, such as `# flipt-lint-ignore: unused-segment, rollout-sum -- for the
 * sale in May`. It counts for the line that it is about; `flipt-lint-ignore-file` counts for the whole file.
 */
export function readLintComments(comments: readonly Comment[], known: readonly string[]) {
  const off = new Set<string>();
  const problems: (Sentences & TextPosition)[] = [];
  for (const { text, line, column, about } of comments) {
    const [, directive = '', rest = ''] = DIRECTIVE.exec(text) ?? [];
    if (directive === '') continue;
    const names = (rest.split('--', 1)[0] ?? '').split(/[\s,]+/).filter((name) => name !== '');
    for (const words of wrongWords(directive, names, known)) problems.push({ line, column, ...words });
    if (directive === LINE) for (const name of names) off.add(`${name} ${about}`);
    if (directive === FILE) for (const name of names) off.add(name);
  }
  /** Whether a rule is turned off for a line. */
  const isOff = (rule: string, line: number) => off.has(rule) || off.has(`${rule} ${line}`);
  return { isOff, problems };
}

function wrongWords(directive: string, names: readonly string[], known: readonly string[]): Sentences[] {
  const effect = 'It turns nothing off.';
  if (directive !== LINE && directive !== FILE) {
    const problem = `The comment ${directive} is unknown${didYouMean(directive, [LINE, FILE]) || '.'}`;
    return [{ problem, effect, fix: `Write ${LINE} or ${FILE}.` }];
  }
  const fix = `Write one of ${known.join(', ')}.`;
  if (names.length === 0) return [{ problem: `The comment ${directive} names no rule.`, effect, fix }];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      problem: `The comment ${directive} names the unknown rule ${quoted(name)}${didYouMean(name, known) || '.'}`,
      effect,
      fix,
    }));
}
