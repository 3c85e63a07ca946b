import type { Semantics } from '../../engine/features.js';
import { commentsIn } from '../yaml/comments.js';
import { pathText, type DocumentPath, type Report, type TextPosition } from '../features-error.js';
import type { CheckedDocument } from '../document-schema.js';
import { semanticsOfVersion, type LintedVersion } from '../format-versions.js';
import { refusalsIn } from '../find-refusals.js';
import type { ReadDocument } from '../checked-documents.js';
import { readDocuments, readFeatures } from '../read-features.js';
import { checkReferences } from '../check-references.js';
import { recordedFeatures } from '../recorded-features.js';
import { unseenStamp } from '../records.js';
import type { Finding, Level, LintedDocument, LintProblem, LintRule, LintSettings } from './finding.js';
import { withoutRepetition } from './alike-findings.js';
import { readIgnoreComments } from './ignore-comments.js';
import { segmentReach } from './segment-coverage.js';
import { evaluatedDifferently } from './rules/upgrade-rules.js';
import {
  COMMENTS,
  defaultLevel,
  DIFFERENT,
  LINT_RULES,
  NO_SETTINGS,
  REFUSED,
  REFUSED_ELSEWHERE,
} from './lint-rules.js';

/**
 * Finds what is probably a mistake in a features file, although the file can be read. Findings are in the order of the
 * file. Rejects with a {@link FeaturesError} if the file cannot be read.
 */
export async function lintFile(
  file: string,
  version: LintedVersion,
  settings: LintSettings = NO_SETTINGS,
): Promise<readonly Finding[]> {
  const semantics = semanticsOfVersion(version);
  // A file that the old version cannot read has a mistake that does not come from the upgrade, so this throws first.
  if (settings.from !== undefined) await readFeatures(file, semanticsOfVersion(settings.from));
  const read = await readDocuments(file, semantics);
  read.mistakes.throwIfAny();
  const { isOff, problems } = readIgnoreComments(commentsIn(read.text));
  const isOn = ({ rule, line }: Finding): boolean => settings.rules.get(rule) !== 'off' && !isOff(rule, line);
  const reading: LintReading = { file, semantics, settings };
  const refused = refusalsIn(
    read.documents.map(({ given }) => given),
    version,
  );
  const found = read.documents.map((document, at) => {
    const ofFlipt = (refused[at] ?? []).map(({ isCertain, ...words }) => ({
      ...words,
      rule: isCertain ? REFUSED : REFUSED_ELSEWHERE,
    }));
    return findingsIn(document, ofFlipt, reading).filter(isOn);
  });
  // `checkReferences` below throws, which would hide all findings. So `checkReferences` must not report what a finding
  // already says.
  const unsaid = read.documents.map(({ given, report }, at) => {
    const said = new Set(found[at]?.filter(({ rule }) => LINT_RULES.has(rule)).map(({ path }) => path));
    const reportUnsaid: Report = (path, wrong) => {
      if (!said.has(pathText(path))) report(path, wrong);
    };
    return { given, report: reportUnsaid };
  });
  // `throwIfAny` throws if the file has mistakes that make it unusable and that no finding names.
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

/** Before an upgrade, only these rules report. */
const OF_UPGRADE: readonly string[] = [REFUSED, DIFFERENT];

function rulesFor({ from }: LintSettings): ReadonlyMap<string, LintRule> {
  return from === undefined
    ? LINT_RULES
    : new Map([[DIFFERENT, evaluatedDifferently(semanticsOfVersion(from))]]);
}

/** A problem, and the rule that found it. */
interface FoundProblem extends LintProblem {
  readonly rule: string;
}

/** What stays the same for all documents of a file. */
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
 * Returns the level of a finding. A warning about a draft becomes an info. The exception is a flag without a type: it
 * may be meant as a boolean flag that is off, so it surprises although it is not enabled.
 */
function levelOf(rule: string, { semantics, settings }: LintReading, isInDraft = false): Level {
  const set = settings.rules.get(rule);
  const level = set === undefined || set === 'off' ? defaultLevel(rule, semantics) : set;
  return isInDraft && level === 'warning' && rule !== 'missing-type' ? 'info' : level;
}

/** Whether a place is in a variant flag that is not enabled. Nobody gets a variant of such a flag yet. */
function isDraft({ flags }: CheckedDocument, [list, index]: DocumentPath): boolean {
  const flag = list === 'flags' ? flags[Number(index)] : undefined;
  return flag?.type === 'VARIANT_FLAG_TYPE' && !flag.enabled;
}

const UNKNOWN: TextPosition = { line: 1, column: 1 };

/** Where one finding stands for several, its text names at most this many of their lines. */
const MOST_LINES = 10;

/** Returns a finding as one line in the form that editors and CI systems understand. */
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
