import type { Finding } from './finding.js';

/**
 * Up to three findings that differ only in names and numbers are shown one by one. If more than three findings are
 * alike, `lint` shows only the first of them, with the places of the others.
 */
const MOST_ALIKE = 3;

/**
 * Merges more than three findings that differ only in names and numbers, such as 48 flags without a name, into one
 * finding that has the places of all of them.
 */
export function withoutRepetition(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding[]>();
  const groupOf = findings.map((finding) => {
    const pattern = patternOf(finding);
    const group = groups.get(pattern) ?? [];
    group.push(finding);
    groups.set(pattern, group);
    return group;
  });
  return findings.flatMap((finding, at) => {
    const group = groupOf[at] ?? [];
    if (group.length <= MOST_ALIKE) return finding;
    if (finding !== group[0]) return [];
    const others = group
      .slice(1)
      .map(({ namespace, path, line, column }) => ({ namespace, path, line, column }));
    return { ...finding, others };
  });
}

function patternOf({ rule, level, path, problem, effect, fix }: Finding): string {
  const words = [problem, effect, fix].map((text) => withoutQuotes(text));
  return [rule, level, path, ...words].join('\n').replace(/\d+/g, '0');
}

/** Removes the text between double quotes, such as the names of flags. */
function withoutQuotes(text: string): string {
  return text
    .split('"')
    .filter((_, at) => at % 2 === 0)
    .join('""');
}
