import type { Semantics } from '../../engine/features.js';
import { commentsIn } from '../yaml/comments.js';
import { pathText, type DocumentPath, type Mistake, type TextPosition } from '../features-error.js';
import type { CheckedDocument } from '../document-schema.js';
import { semanticsOfVersion, type FileReader, type LintedVersion } from '../format-versions.js';
import { effectOf, READERS_OF, refusalsIn, type FoundRefusal } from '../find-refusals.js';
import type { ReadDocument, ReadDocuments } from '../checked-documents.js';
import { readDocuments, readUnlinkedFile } from '../read-features.js';
import { checkReferences, namespaceKey } from '../check-references.js';
import { mistakeWords } from '../mistake-words.js';
import { refusersIn } from '../refused-mistakes.js';
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
  OF_MISTAKES,
  OF_REACH,
  REFUSED,
  REFUSED_ELSEWHERE,
  UNREADABLE,
} from './lint-rules.js';

/** The findings in a file. */
export interface Linted {
  readonly findings: readonly Finding[];
  /** Is `true` if some rules could not check a part of the file because of a mistake in that part. */
  readonly isPartial: boolean;
}

/** The path of a file, whatever the path looks like; or text, or the path of a file that is trusted. */
type LintSource = string | { readonly path: string };

/** Calls {@link lint}, and resolves with the findings only. */
export async function lintFile(
  source: LintSource,
  version: LintedVersion,
  settings: LintSettings = NO_SETTINGS,
): Promise<readonly Finding[]> {
  return (await lint(source, version, settings)).findings;
}

/**
 * Finds the mistakes and the probable mistakes in a features file. The findings are in the order of the file. `lint`
 * rejects with a {@link FeaturesError} if, for example, the file cannot be read, or its content is not YAML.
 */
export async function lint(
  source: LintSource,
  version: LintedVersion,
  settings: LintSettings,
): Promise<Linted> {
  const file = typeof source === 'string' ? source : source.path;
  const semantics = semanticsOfVersion(version);
  const before = settings.from === undefined ? undefined : await refusedBefore(source, settings.from);
  const read = await readWithMistakes(source, semantics);
  const { isOff, problems } = readIgnoreComments(commentsIn(read.text));
  const isOn = ({ rule, line }: Finding): boolean => settings.rules.get(rule) !== 'off' && !isOff(rule, line);
  const reading: LintReading = { file, version, semantics, settings, before };
  const refused = refusalsIn(
    read.documents.map(({ given }) => given),
    version,
  );
  const mistakes = mistakesByDocument(read);
  const found = read.documents.map((document, at) =>
    findingsIn(document, refused[at] ?? [], mistakes.get(document.index) ?? [], reading, isOn),
  );
  const ofComments = problems.map((said) => ({
    file,
    level: levelOf(COMMENTS, reading),
    rule: COMMENTS,
    namespace: '',
    path: '',
    others: [],
    ...said,
  }));
  const all = [...ofComments.filter(isOn), ...found.flatMap(({ findings }) => findings)].filter(
    ({ rule }) => settings.from === undefined || OF_UPGRADE.includes(rule),
  );
  return {
    findings: withoutRepetition(
      oncePerAnchor(all).sort((one, other) => one.line - other.line || one.column - other.column),
    ),
    isPartial: found.some(({ isPartial }) => isPartial),
  };
}

/** A part that aliases repeat is written once, so that what is wrong in it is one finding. */
function oncePerAnchor(findings: readonly Finding[]): Finding[] {
  const paths = new Map<string, string>();
  return findings.filter(({ rule, path, line, column, fix }) => {
    const written = [line, column, rule, /[^.]*$/.exec(path)?.[0], fix].join(' ');
    const first = paths.get(written) ?? path;
    paths.set(written, first);
    return first === path;
  });
}

/**
 * Reads a file, and collects all mistakes in it. Rejects with a {@link FeaturesError} if, for example, the file cannot
 * be read, or its content is not YAML.
 */
async function readWithMistakes(source: LintSource, semantics: Semantics): Promise<ReadDocuments> {
  const read = await (typeof source === 'string'
    ? readDocuments(source, semantics)
    : readUnlinkedFile(source.path, semantics));
  const readable = new Set(read.documents.map(({ index }) => index));
  if (read.mistakes.found.some(({ document }) => !readable.has(document))) read.mistakes.throwIfAny();
  checkReferences(read.documents, semantics);
  return read;
}

function mistakesByDocument({ mistakes }: ReadDocuments): ReadonlyMap<number, readonly Mistake[]> {
  const byDocument = new Map<number, Mistake[]>();
  for (const mistake of mistakes.found) {
    const others = byDocument.get(mistake.document);
    if (others) others.push(mistake);
    else byDocument.set(mistake.document, [mistake]);
  }
  return byDocument;
}

/**
 * Finds what a version of Flipt refuses in a file. For each document, by its position in the file, the result has the
 * paths of the refused parts.
 */
async function refusedBefore(
  source: LintSource,
  version: LintedVersion,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const read = await readWithMistakes(source, semanticsOfVersion(version));
  const { documents } = read;
  const mistakes = mistakesByDocument(read);
  const refused = refusalsIn(
    documents.map(({ given }) => given),
    version,
  );
  return new Map(
    documents.map(({ index, given }, at) => {
      const own = mistakes.get(index) ?? [];
      const refusersOf = refusersIn(given, own);
      const reader = READERS_OF[version][0];
      const ofFlipt = (refused[at] ?? []).filter(({ isCertain }) => isCertain);
      const wrong = own.filter((mistake) => refusersOf(mistake).includes(reader));
      return [index, new Set([...ofFlipt, ...wrong].map(({ path }) => pathText(path)))];
    }),
  );
}

/** If `lint` checks a file before an upgrade of Flipt, only these rules report findings. */
const OF_UPGRADE: readonly string[] = [REFUSED, UNREADABLE, DIFFERENT];

function rulesFor({ from }: LintSettings): ReadonlyMap<string, LintRule> {
  return from === undefined
    ? LINT_RULES
    : new Map([[DIFFERENT, evaluatedDifferently(semanticsOfVersion(from))]]);
}

/** A problem, and the rule that found it. */
interface FoundProblem extends LintProblem {
  readonly rule: string;
}

/** What one run of `lint` knows about the whole file, and not only about one document. */
interface LintReading {
  readonly file: string;
  readonly version: LintedVersion;
  readonly semantics: Semantics;
  readonly settings: LintSettings;
  /**
   * The paths that the older version of Flipt refuses, by the position of their document in the file. The member is
   * `undefined` if `lint` does not check the file before an upgrade.
   */
  readonly before: ReadonlyMap<number, ReadonlySet<string>> | undefined;
}

function findingsIn(
  document: ReadDocument,
  refused: readonly FoundRefusal[],
  mistakes: readonly Mistake[],
  reading: LintReading,
  isOn: (finding: Finding) => boolean,
): Linted {
  const asFinding = findingOf(document, reading);
  const before = reading.before?.get(document.index);
  const ofFlipt = refused
    .filter(({ path, isCertain }) => isCertain && !before?.has(pathText(path)))
    .map((found) => asFinding({ ...found, rule: REFUSED }));
  const elsewhere = refused
    .filter(({ isCertain }) => !isCertain)
    .map((found) => asFinding({ ...found, rule: REFUSED_ELSEWHERE }));
  const surprising = surprisingIn(document, reading).map(asFinding);
  const said = [...ofFlipt, ...elsewhere, ...surprising].filter(isOn);
  const saidPlaces = new Set(said.filter(({ rule }) => OF_MISTAKES.includes(rule)).map(({ path }) => path));
  const unsaid = mistakes.filter(({ path }) => !saidPlaces.has(pathText(path)));
  const refusersOf = refusersIn(document.given, mistakes);
  const ofMistakes = unsaid.map((mistake) =>
    asFinding(problemOf(mistake, document, refusersOf(mistake), reading)),
  );
  const wrongPlaces = new Set(ofMistakes.map(({ path }) => path));
  const isTrue = trueBeside(document, unsaid, surprising);
  return {
    findings: [
      ...said.filter((finding) => isTrue(finding) && !wrongPlaces.has(finding.path)),
      ...ofMistakes.filter(isOn),
    ],
    isPartial: unsaid.length > 0,
  };
}

/** Applies the rules that read one document at a time, and returns the problems that they find. */
function surprisingIn(
  { given, content }: ReadDocument,
  { semantics, settings }: LintReading,
): readonly FoundProblem[] {
  if (content === undefined) return [];
  const { segments } = recordedFeatures(content, semantics, unseenStamp());
  const reaches = new Map(Array.from(segments, ([key, segment]) => [key, segmentReach(segment)]));
  const document: LintedDocument = { given, content, semantics, segments, reaches };
  return Array.from(rulesFor(settings), ([rule, find]) =>
    find(document).map((problem): FoundProblem => ({ rule, ...problem })),
  ).flat();
}

/** Turns a mistake in a document into a problem that `lint` can report. */
function problemOf(
  mistake: Mistake,
  { given, index }: ReadDocument,
  by: readonly FileReader[],
  { version, before }: LintReading,
): FoundProblem {
  const said = { path: mistake.path, ...mistakeWords(mistake, given) };
  const [reader] = READERS_OF[version];
  if (!by.includes(reader)) return { ...said, rule: UNREADABLE, effect: MAY_TAKE };
  if (before?.get(index)?.has(pathText(mistake.path)) === true)
    return { ...said, rule: UNREADABLE, effect: BOTH_REFUSE };
  return { ...said, rule: REFUSED, effect: effectOf(reader, by) };
}

const MAY_TAKE =
  'This Flipt may take it, but the embedded service refuses the file, because it is probably a mistake.';
const BOTH_REFUSE = 'Both versions refuse it, so what else changes here cannot be found.';

/**
 * Returns a test that lets a finding pass if the mistakes in the document cannot make the finding wrong. A finding of a
 * rule that reads one document at a time does not pass if the finding is about a flag that has a mistake. A finding
 * that depends on the entities of a segment does not pass if that segment has a mistake.
 */
function trueBeside(
  { content }: ReadDocument,
  mistakes: readonly Mistake[],
  surprising: readonly Finding[],
): (finding: Finding) => boolean {
  const places = new Set(mistakes.map(({ path: [list, at] }) => `${String(list)}[${String(at)}]`));
  const wrongSegments = new Set(
    (content?.segments ?? []).flatMap(({ key }, at) => (places.has(`segments[${at}]`) ? key : [])),
  );
  const usesWrong = (content?.flags ?? []).map(({ rules, rollouts }) =>
    [...rules, ...rollouts].some(
      (step) => 'segmentKeys' in step && step.segmentKeys.some((key) => wrongSegments.has(key)),
    ),
  );
  const asked = new Set(surprising);
  return (finding) => {
    if (!asked.has(finding)) return true;
    const [place = '', list = '', at = ''] = /^(\w+)\[(\d+)\]/.exec(finding.path) ?? [];
    if (places.has(place) && (list === 'flags' || OF_REACH.includes(finding.rule))) return false;
    return !(list === 'flags' && OF_REACH.includes(finding.rule) && usesWrong[Number(at)] === true);
  };
}

/** Returns a function that turns a problem in a document into a finding. */
function findingOf({ given, content, positionOf }: ReadDocument, reading: LintReading) {
  const namespace = namespaceKey(given) ?? '';
  return ({ rule, path, problem, effect, fix }: FoundProblem): Finding => ({
    file: reading.file,
    ...(positionOf?.(path) ?? UNKNOWN),
    level: levelOf(rule, reading, content !== undefined && isDraft(content, path)),
    rule,
    namespace,
    path: pathText(path),
    others: [],
    problem,
    effect,
    fix,
  });
}

/**
 * Returns the level of a finding. A warning about a variant flag that is not enabled (a draft) becomes an info. Only a
 * warning of the rule `missing-type` stays a warning, because a flag without a type might be meant as a boolean flag
 * that is off.
 */
function levelOf(rule: string, { semantics, settings }: LintReading, isInDraft = false): Level {
  const set = settings.rules.get(rule);
  const level = set === undefined || set === 'off' ? defaultLevel(rule, semantics) : set;
  return isInDraft && level === 'warning' && rule !== 'missing-type' ? 'info' : level;
}

/**
 * Returns whether a path leads into a variant flag that is not enabled. A variant flag that is not enabled counts as a
 * draft, because its rules give no variant to anybody yet.
 */
function isDraft({ flags }: CheckedDocument, [list, index]: DocumentPath): boolean {
  const flag = list === 'flags' ? flags[Number(index)] : undefined;
  return flag?.type === 'VARIANT_FLAG_TYPE' && !flag.enabled;
}

const UNKNOWN: TextPosition = { line: 1, column: 1 };

/** If one finding stands for several similar findings, its text names the lines of at most 10 of them. */
const MOST_LINES = 10;

/** Returns a finding as one line of text, in the form `file:line:column: …` that editors and CI systems recognise. */
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
