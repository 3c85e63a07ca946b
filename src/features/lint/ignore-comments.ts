import { didYouMean } from '../../base/text/closest-name.js';
import { quoted } from '../../base/text/describe.js';
import type { TextPosition } from '../features-error.js';
import type { Comment } from '../yaml/comments.js';
import type { Sentences } from './finding.js';
import { RULE_NAMES } from './lint-rules.js';

/** The rules that the comments in a file turn off. */
export interface IgnoredRules {
  /** Returns whether a comment turns this rule off for this line of the file. */
  readonly isOff: (rule: string, line: number) => boolean;
  /** The problems of the comments themselves, such as an unknown rule. */
  readonly problems: readonly (Sentences & TextPosition)[];
}

const LINE = 'flipt-lint-ignore';
const FILE = 'flipt-lint-ignore-file';
const DIRECTIVE = /^\s*(flipt-lint[\w-]*):?(.*)$/s;

/**
 * Reads the comments that turn rules of `lint` off, such as `# flipt-lint-ignore: unused-segment, rollout-sum -- for
 * the sale in May`. A comment with `flipt-lint-ignore` turns rules off for the line that the comment is about, and a
 * comment with `flipt-lint-ignore-file` turns rules off for the whole file.
 */
export function readIgnoreComments(comments: readonly Comment[]): IgnoredRules {
  const off = new Set<string>();
  const problems: (Sentences & TextPosition)[] = [];
  for (const { text, line, column, about } of comments) {
    const [, directive = '', rest = ''] = DIRECTIVE.exec(text) ?? [];
    if (directive === '') continue;
    const names = (rest.split('--', 1)[0] ?? '').split(/[\s,]+/).filter((name) => name !== '');
    for (const words of wrongWords(directive, names)) problems.push({ line, column, ...words });
    if (directive === LINE) for (const name of names) off.add(`${name} ${about}`);
    if (directive === FILE) for (const name of names) off.add(name);
  }
  return { isOff: (rule, line) => off.has(rule) || off.has(`${rule} ${line}`), problems };
}

function wrongWords(directive: string, names: readonly string[]): Sentences[] {
  const effect = 'It turns nothing off.';
  if (directive !== LINE && directive !== FILE) {
    const problem = `The comment ${directive} is unknown${didYouMean(directive, [LINE, FILE]) || '.'}`;
    return [{ problem, effect, fix: `Write ${LINE} or ${FILE}.` }];
  }
  const fix = `Write one of ${RULE_NAMES.join(', ')}.`;
  if (names.length === 0) return [{ problem: `The comment ${directive} names no rule.`, effect, fix }];
  return names
    .filter((name) => !RULE_NAMES.includes(name))
    .map((name) => ({
      problem: `The comment ${directive} names the unknown rule ${quoted(name)}${didYouMean(name, RULE_NAMES) || '.'}`,
      effect,
      fix,
    }));
}
