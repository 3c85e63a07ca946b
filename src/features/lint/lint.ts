import type { Semantics } from '../../engine/features.js';
import { commentsIn, type Comment } from '../yaml/comments.js';
import { pathText, type DocumentPath, type Report, type TextPosition } from '../features-error.js';
import type { CheckedDocument } from '../document-schema.js';
import { refusalsIn } from '../find-refusals.js';
import type { ReadDocument } from '../checked-documents.js';
import { readDocuments, readFeatures } from '../read-features.js';
import { checkReferences } from '../check-references.js';
import { recordedFeatures } from '../recorded-features.js';
import { unseenStamp } from '../records.js';
import type {
  Finding,
  Level,
  LintedDocument,
  LintProblem,
  LintRule,
  LintSettings,
  Sentences,
} from './finding.js';
import { withoutRepetition } from './alike-findings.js';
import { didYouMean } from '../../base/text/closest-name.js';
import { quoted } from '../../base/text/describe.js';
import { segmentReach } from './reached-entities.js';
import { evaluatedDifferently } from './rules/upgrade-rules.js';
import {
  COMMENTS,
  defaultLevel,
  DIFFERENT,
  LINT_RULES,
  NO_SETTINGS,
  REFUSED,
  REFUSED_ELSEWHERE,
  RULE_NAMES,
} from './lint-rules.js';

/**
 * Finds what is probably a mistake in a features file, although the file can be read; in the order of the file. Rejects
 * with a {@link FeaturesError} if it cannot be read.
 */
export async function lintFile(
  file: string,
  semantics: Semantics,
  settings: LintSettings = NO_SETTINGS,
): Promise<readonly Finding[]> {
  // What the version that is left cannot read is no matter of the upgrade.
  if (settings.from !== undefined) await readFeatures(file, settings.from);
  const read = await readDocuments(file, semantics);
  read.mistakes.throwIfAny();
  const { isOff, problems } = readLintComments(commentsIn(read.text));
  const isOn = ({ rule, line }: Finding): boolean => settings.rules.get(rule) !== 'off' && !isOff(rule, line);
  const reading: LintReading = { file, semantics, settings };
  const refused = refusalsIn(
    read.documents.map(({ given }) => given),
    semantics,
  );
  const found = read.documents.map((document, at) => {
    const ofFlipt = (refused[at] ?? []).map(({ isCertain, ...words }) => ({
      ...words,
      rule: isCertain ? REFUSED : REFUSED_ELSEWHERE,
    }));
    return findingsIn(document, ofFlipt, reading).filter(isOn);
  });
  // What a finding says already must not hide the other findings.
  const unsaid = read.documents.map(({ given, report }, at) => {
    const said = new Set(found[at]?.filter(({ rule }) => LINT_RULES.has(rule)).map(({ path }) => path));
    const reportUnsaid: Report = (path, wrong) => {
      if (!said.has(pathText(path))) report(path, wrong);
    };
    return { given, report: reportUnsaid };
  });
  // Throws what makes the file unusable.
  checkReferences(unsaid, semantics);
  read.mistakes.throwIfAny();
  const ofComments = problems.map((said) => ({
    file,
    level: levelOf(COMMENTS, reading),
    rule: COMMENTS,
    namespace: '',
    path: '',
    others: [],
    ...said,
  }));
  const all = [...ofComments.filter(isOn), ...found.flat()].filter(
    ({ rule }) => settings.from === undefined || OF_UPGRADE.includes(rule),
  );
  return withoutRepetition(all.sort((one, other) => one.line - other.line || one.column - other.column));
}

/** What is found before an upgrade. */
const OF_UPGRADE: readonly string[] = [REFUSED, DIFFERENT];

function rulesFor({ from }: LintSettings): ReadonlyMap<string, LintRule> {
  return from === undefined ? LINT_RULES : new Map([[DIFFERENT, evaluatedDifferently(from)]]);
}

/** A problem, and the rule that found it. */
interface FoundProblem extends LintProblem {
  readonly rule: string;
}

/** What is the same for all documents of a file. */
interface LintReading {
  readonly file: string;
  readonly semantics: Semantics;
  readonly settings: LintSettings;
}

function findingsIn(
  { given, content, positionOf }: ReadDocument,
  refused: readonly FoundProblem[],
  reading: LintReading,
): readonly Finding[] {
  if (content === undefined) return [];
  const { file, semantics } = reading;
  const { key: namespace, segments } = recordedFeatures(content, semantics, unseenStamp());
  const reaches = new Map(Array.from(segments, ([key, segment]) => [key, segmentReach(segment)]));
  const document: LintedDocument = { given, content, semantics, segments, reaches };
  const surprising = Array.from(rulesFor(reading.settings), ([rule, find]) =>
    find(document).map((problem): FoundProblem => ({ rule, ...problem })),
  );
  return [...refused, ...surprising.flat()].map(({ rule, path, ...words }) => ({
    file,
    ...(positionOf?.(path) ?? UNKNOWN),
    level: levelOf(rule, reading, isDraft(content, path)),
    rule,
    namespace,
    path: pathText(path),
    others: [],
    ...words,
  }));
}

/**
 * The level of a rule. A warning about a draft is an info; but a flag without a type may be meant as a boolean flag that is
 * off, so it surprises although it is not enabled.
 */
function levelOf(rule: string, { semantics, settings }: LintReading, isInDraft = false): Level {
  const set = settings.rules.get(rule);
  const level = set === undefined || set === 'off' ? defaultLevel(rule, semantics) : set;
  return isInDraft && level === 'warning' && rule !== 'missing-type' ? 'info' : level;
}

/** Whether a place is in a variant flag that is not enabled: nobody gets anything of it yet. */
function isDraft({ flags }: CheckedDocument, [list, index]: DocumentPath): boolean {
  const flag = list === 'flags' ? flags[Number(index)] : undefined;
  return flag?.type === 'VARIANT_FLAG_TYPE' && !flag.enabled;
}

const UNKNOWN: TextPosition = { line: 1, column: 1 };

/** So many lines are named where one finding stands for several. */
const MOST_LINES = 10;

/** A finding in one line, as editors and CI systems read it. */
export function findingText(finding: Finding): string {
  const { file, line, column, level, rule, problem, effect, fix, others } = finding;
  return `${file}:${line}:${column}: ${level}: ${rule}: ${problem} ${effect} ${fix}${othersText(others)}`;
}

function othersText(others: Finding['others']): string {
  if (others.length === 0) return '';
  const lines = others.slice(0, MOST_LINES).map(({ line }) => line);
  const more = others.length > MOST_LINES ? ', …' : '';
  return ` (${others.length} more of this kind: lines ${lines.join(', ')}${more})`;
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
