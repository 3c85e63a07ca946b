import { didYouMean } from '../../base/text/closest-name.js';
import { placed, type CheckedFile } from '../check-documents.js';
import { semanticsOf, type Version } from '../flipt-refuses.js';
import { recordedFeatures, unseenStamp } from '../normalize.js';
import { IGNORED, INVALID, REFUSED, YAML, type Finding, type Level, type Problem } from '../problem.js';
import { checkText, type Written } from '../read-features.js';
import { LARGE_INTEGER } from '../read-yaml.js';
import { OPERATOR_TYPE, SEGMENT_LEFT_OUT, UNREADABLE_VALUE } from '../references.js';
import { DIFFERENT, evaluatedDifferently, LINT_RULES, surprising } from './rules.js';

const COMMENTS = 'unknown-rule';

export const RULE_NAMES: readonly string[] = [
  YAML,
  INVALID,
  REFUSED,
  IGNORED,
  OPERATOR_TYPE,
  UNREADABLE_VALUE,
  SEGMENT_LEFT_OUT,
  LARGE_INTEGER,
  DIFFERENT,
  ...LINT_RULES,
  COMMENTS,
];

export interface LintSettings {
  readonly version: Version;
  /** The Flipt that reads the file now: then only what an upgrade changes is found. */
  readonly from?: Version;
  /** Another level for a rule, or `off`. */
  readonly rules?: ReadonlyMap<string, Level | 'off'>;
}

/** What surprises is said once there are no errors, because an error may hide it or cause it. */
export function lint(written: Written, { version, from, rules }: LintSettings): readonly Finding[] {
  const { isOff, findings: ofComments } = ignoredIn(written);
  const levelled = (findings: readonly Finding[]): readonly Finding[] =>
    findings.flatMap((finding) => {
      const level = rules?.get(finding.rule) ?? finding.level;
      return level === 'off' || isOff(finding) ? [] : { ...finding, level };
    });
  const file = checkText(written, version);
  const before = from === undefined ? undefined : checkText(written, from);
  const wrong = levelled([...(before ? [] : ofComments), ...newIn(file.findings, before?.findings)]);
  const isWrong = wrong.some(({ level }) => level === 'error');
  const others = isWrong ? [] : newIn(surprisingIn(file), before && surprisingIn(before));
  const changed = before === undefined ? [] : differentIn(file, before);
  return [...wrong, ...levelled([...others, ...changed])].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
}

function surprisingIn({ file, version, documents }: CheckedFile): readonly Finding[] {
  const semantics = semanticsOf(version);
  return documents.flatMap((document) => {
    const { given, content } = document;
    if (content === undefined) return [];
    const { segments } = recordedFeatures(content, semantics, unseenStamp());
    return placed(file, document, surprising({ given, content, segments, semantics }));
  });
}

function differentIn({ file, version, documents }: CheckedFile, before: CheckedFile): readonly Finding[] {
  return documents.flatMap((document) => {
    if (document.content === undefined) return [];
    const [from, to] = [semanticsOf(before.version), semanticsOf(version)];
    return placed(file, document, evaluatedDifferently(document.content, from, to));
  });
}

/** The effects name versions, and do not count here. */
function newIn(findings: readonly Finding[], before: readonly Finding[] | undefined): readonly Finding[] {
  const keyOf = ({ document, path, rule }: Finding) => `${document} ${rule} ${path}`;
  const known = new Set(before?.map(keyOf));
  return findings.filter((finding) => !known.has(keyOf(finding)));
}

const COMMENT = /(?:^|\s)#[ \t]*(flipt-lint[\w-]*)/;
const OF_LINE = 'flipt-lint-ignore';
const OF_FILE = 'flipt-lint-ignore-file';

/**
 * `# flipt-lint-ignore: unused-segment, rollout-sum -- for the sale in May` is about its own line, or above content
 * about the next line with content; `# flipt-lint-ignore-file: …` about the whole file.
 */
function ignoredIn({ file, text }: Written) {
  const off = new Set<string>();
  const findings: Finding[] = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    const found = COMMENT.exec(line);
    if (found === null) continue;
    const [comment, directive = ''] = found;
    const start = line.indexOf('#', found.index);
    const before = line.slice(0, start);
    const rest = line.slice(found.index + comment.length).replace(/^:/, '');
    const names = (rest.split('--', 1)[0] ?? '').split(/[\s,]+/).filter((name) => name !== '');
    const about = before.trim() === '' ? nextContent(lines, at) : at;
    if (directive === OF_LINE) for (const name of names) off.add(`${name} ${about + 1}`);
    if (directive === OF_FILE) for (const name of names) off.add(name);
    const place = { file, document: 1, namespace: '', path: '', line: at + 1, column: start + 1 };
    for (const problem of wrongComment(directive, names)) findings.push({ ...place, ...problem });
  }
  return {
    isOff: ({ rule, line }: Finding) => off.has(rule) || off.has(`${rule} ${String(line)}`),
    findings,
  };
}

function nextContent(lines: readonly string[], at: number): number {
  const next = lines.slice(at + 1, at + 1 + MOST_COMMENTS).findIndex((line) => !/^\s*(?:#|$)/.test(line));
  return next < 0 ? at : at + 1 + next;
}

/** A comment is about content that at most this many lines of comments separate from it. */
const MOST_COMMENTS = 100;

function wrongComment(directive: string, names: readonly string[]): Omit<Problem, 'path'>[] {
  const wrong = (problem: string, fix: string) =>
    ({ rule: COMMENTS, level: 'warning', problem: `${problem} It turns nothing off.`, fix }) as const;
  if (directive !== OF_LINE && directive !== OF_FILE) {
    const known = [OF_LINE, OF_FILE];
    const guess = didYouMean(directive, known) || '.';
    return [wrong(`The comment ${directive} is unknown${guess}`, `Write ${known.join(' or ')}.`)];
  }
  const fix = `Write one of ${RULE_NAMES.join(', ')}.`;
  if (names.length === 0) return [wrong(`The comment ${directive} names no rule.`, fix)];
  return names
    .filter((name) => !RULE_NAMES.includes(name))
    .map((name) =>
      wrong(
        `The comment ${directive} names the unknown rule "${name}"${didYouMean(name, RULE_NAMES) || '.'}`,
        fix,
      ),
    );
}
