import type { Semantics } from '../engine/features.js';
import { commentsIn, type Comment } from '../features/yaml/comments.js';
import { pathText, type Report, type TextPosition } from '../features/features-error.js';
import { readDocuments, type ReadDocument } from '../features/read-features.js';
import { checkReferences } from '../features/check-references.js';
import { recordedFeatures } from '../features/recorded-features.js';
import { unseenStamp } from '../features/records.js';
import type { Finding, LintedDocument, LintProblem, LintRule, Sentences } from './finding.js';
import { didYouMean } from '../text/closest-name.js';
import { quoted } from '../text/describe.js';
import { segmentReach } from './reached-entities.js';
import * as flagRules from './rules/flag-rules.js';
import * as segmentRules from './rules/segment-rules.js';

/** The rules by their names, which comments and the output use: a changed name breaks files of users. */
const LINT_RULES: ReadonlyMap<string, LintRule> = new Map([
  ['missing-type', flagRules.missingType],
  ['rollout-sum', flagRules.rolloutSum],
  ['small-percentage', flagRules.smallPercentage],
  ['text-attachment', flagRules.textAttachment],
  ['boolean-variants', flagRules.booleanVariants],
  ['unused-segment', segmentRules.unusedSegment],
  ['unreachable-rule', flagRules.unreachableRule],
  ['never-matches', segmentRules.neverMatches],
  ['operator-type', segmentRules.operatorType],
  ['single-value', flagRules.singleValue],
]);

/** The rule about comments that name no rule. It reads no document. */
const COMMENTS = 'unknown-rule';
/** The names of all rules. */
export const RULE_NAMES: readonly string[] = [...LINT_RULES.keys(), COMMENTS];

/**
 * Finds what is probably a mistake in a features file, although the file can be read; in the order of the file. Rejects
 * with a {@link FeaturesError} if it cannot be read.
 */
export async function lintFile(file: string, semantics: Semantics): Promise<readonly Finding[]> {
  const read = await readDocuments(file, semantics);
  read.mistakes.throwIfAny();
  const { isOff, problems } = readLintComments(commentsIn(read.text));
  const isOn = ({ rule, line }: Finding): boolean => !isOff(rule, line);
  const found = read.documents.map((document) => findingsIn(file, document, semantics).filter(isOn));
  // What a finding says already must not hide the other findings.
  const unsaid = read.documents.map(({ given, report }, at) => {
    const said = new Set(found[at]?.map(({ path }) => path));
    const reportUnsaid: Report = (path, wrong) => {
      if (!said.has(pathText(path))) report(path, wrong);
    };
    return { given, report: reportUnsaid };
  });
  // Throws what makes the file unusable.
  checkReferences(unsaid, semantics);
  read.mistakes.throwIfAny();
  const ofComments = problems.map((said) => ({ file, rule: COMMENTS, namespace: '', path: '', ...said }));
  return [...ofComments.filter(isOn), ...found.flat()].sort(
    (one, other) => one.line - other.line || one.column - other.column,
  );
}

function findingsIn(file: string, { given, content, positionOf }: ReadDocument, semantics: Semantics) {
  if (content === undefined) return [];
  const { key: namespace, segments } = recordedFeatures(content, semantics, unseenStamp());
  const reaches = new Map(Array.from(segments, ([key, segment]) => [key, segmentReach(segment)]));
  const document: LintedDocument = { given, content, semantics, segments, reaches };
  return Array.from(LINT_RULES, ([rule, find]) =>
    find(document).map(({ path, ...words }: LintProblem) => ({
      file,
      ...(positionOf?.(path) ?? UNKNOWN),
      rule,
      namespace,
      path: pathText(path),
      ...words,
    })),
  ).flat();
}

const UNKNOWN: TextPosition = { line: 1, column: 1 };

/** A finding in one line, as editors and CI systems read it. */
export function findingText({ file, line, column, rule, problem, effect, fix }: Finding): string {
  return `${file}:${line}:${column}: ${rule}: ${problem} ${effect} ${fix}`;
}

const LINE = 'flipt-lint-ignore';
const FILE = 'flipt-lint-ignore-file';
const DIRECTIVE = /^\s*(flipt-lint[\w-]*):?(.*)$/s;

/**
 * What the comments of a file say to the linter, such as `# flipt-lint-ignore: unused-segment, rollout-sum -- for the
 * sale in May`. It counts for the line that it is about; `flipt-lint-ignore-file` counts for the whole file.
 */
function readLintComments(comments: readonly Comment[]) {
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
  /** Whether a rule is turned off for a line. */
  const isOff = (rule: string, line: number) => off.has(rule) || off.has(`${rule} ${line}`);
  return { isOff, problems };
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
