import type { ComparisonType } from '../engine/features.js';
import { LIST_OPERATORS, OPERATORS, OPERATORS_WITHOUT_VALUE } from '../engine/constraint-match.js';
import { takesLists } from '../engine/version-differences.js';
import { kindOf, quoted } from '../base/text/describe.js';
import { effectOf, formatOf, isFormatBefore, semanticsOf, type Version } from './flipt-refuses.js';
import { goJson, isReadableValue, storedOperator } from './stored-values.js';
import { IGNORED, INVALID, REFUSED, memberOf, shown, type Path, type Problem } from './problem.js';
import type { CheckedDocument, CheckedFlag, CheckedSegment } from './schema.js';

/** What Flipt's management API, and the schema of its files, accept; an import of v1 takes any key. */
export const KEY_SYNTAX = /^[-_,A-Za-z0-9]+$/;
const KEY = 'letters, digits, "-", "_" and "," only, and at least one of them';

/** These names stand in comments of users, and in what they pass to `--rule`. */
export const OPERATOR_TYPE = 'operator-type';
export const UNREADABLE_VALUE = 'unreadable-value';
export const SEGMENT_LEFT_OUT = 'segment-left-out';

interface UsedDocument {
  readonly given: unknown;
  readonly content: CheckedDocument | undefined;
}

export function namespaceKey(given: unknown): string | undefined {
  if (typeof given !== 'object') return undefined;
  const namespace = memberOf(given, 'namespace') ?? 'default';
  const key = typeof namespace === 'string' ? namespace : memberOf(namespace, 'key');
  return typeof key === 'string' ? key : undefined;
}

/** What is wrong although the shape is right, such as a missing segment: a list for each document. */
export function checkReferences(
  documents: readonly UsedDocument[],
  version: Version,
): readonly (readonly Problem[])[] {
  const segments = new Map<string | undefined, Set<string>>();
  const seen = new Set<string>();
  return documents.map(({ given, content }) => {
    if (content === undefined) return [];
    const key = namespaceKey(given);
    // A rule can name a segment of an earlier document of the namespace.
    const known = segments.get(key) ?? new Set();
    for (const segment of content.segments) known.add(segment.key);
    segments.set(key, known);
    const problems = [...inNamespace(content, version), ...inDocument(content, known, version)];
    if (key !== undefined && seen.has(key)) {
      const problem = `${quoted(key)} already has a document`;
      problems.unshift(ignored(['namespace'], problem, 'Flipt adds the two.'));
    }
    if (key !== undefined) seen.add(key);
    return problems;
  });
}

function invalid(path: Path, problem: string): Problem {
  return { path, rule: INVALID, level: 'error', problem };
}

/** Flipt takes it; `effect` says what it does with it. */
function ignored(path: Path, problem: string, effect: string): Problem {
  return { path, rule: IGNORED, level: 'error', problem: `${problem}. ${effect}` };
}

function unless(isTaken: boolean, path: Path, problem: string, effect: string): Problem {
  return isTaken ? ignored(path, problem, effect) : invalid(path, problem);
}

function inNamespace({ namespace }: CheckedDocument, version: Version): Problem[] {
  const isText = typeof namespace === 'string';
  const path = isText ? ['namespace'] : ['namespace', 'key'];
  return wrongKey(isText ? namespace : namespace.key, path, version);
}

function wrongKey(key: string, path: Path, version: Version): Problem[] {
  if (KEY_SYNTAX.test(key)) return [];
  const problem = `expected ${KEY}, got ${shown(key)}`;
  return [
    unless(
      version === 'v1',
      path,
      problem,
      'An import of Flipt v1 takes it, and nothing else of Flipt does.',
    ),
  ];
}

function inDocument(content: CheckedDocument, segments: ReadonlySet<string>, version: Version): Problem[] {
  return [
    ...repeatedKeys(content.segments, ['segments'], version !== 'v1'),
    ...content.segments.flatMap((segment, at) => inSegment(segment, ['segments', at], content, version)),
    ...repeatedKeys(content.flags, ['flags'], false),
    ...content.flags.flatMap((flag, at) => inFlag(flag, ['flags', at], segments, version)),
  ];
}

function repeatedKeys(items: readonly { readonly key: string }[], path: Path, isTaken: boolean): Problem[] {
  const seen = new Set<string>();
  return items.flatMap(({ key }, at) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    if (!isRepeated) return [];
    return unless(isTaken, [...path, at, 'key'], `${quoted(key)} occurs twice`, 'Flipt reads the last one.');
  });
}

function inFlag(flag: CheckedFlag, path: Path, segments: ReadonlySet<string>, version: Version): Problem[] {
  const problems = wrongKey(flag.key, [...path, 'key'], version);
  problems.push(...repeatedKeys(flag.variants, [...path, 'variants'], version !== 'v1'));
  for (const [at, { attachment }] of flag.variants.entries()) {
    if (attachment == null || goJson(attachment, semanticsOf(version)) !== undefined) continue;
    problems.push(invalid([...path, 'variants', at, 'attachment'], 'expected a value that JSON can hold'));
  }
  if (flag.variants.filter((variant) => variant.default).length > 1) {
    const problem = 'expected at most one default variant';
    problems.push(ignored([...path, 'variants'], problem, 'Flipt takes the last one.'));
  }
  const variants = new Set(flag.variants.map(({ key }) => key));
  for (const [at, rule] of flag.rules.entries()) {
    const here = [...path, 'rules', at];
    problems.push(...wrongSegments(rule.segmentKeys, [...here, 'segment'], segments));
    for (const [index, { variant, rollout }] of rule.distributions.entries()) {
      const place = [...here, 'distributions', index];
      if (!variants.has(variant))
        problems.push(unknownKey('variant', 'this flag', variant, [...place, 'variant']));
      problems.push(...wrongPercentage(rollout, [...place, 'rollout'], version === 'v1'));
    }
  }
  return [...problems, ...inRollouts(flag, path, segments, version)];
}

function inRollouts(
  { type, rollouts }: CheckedFlag,
  path: Path,
  segments: ReadonlySet<string>,
  version: Version,
): Problem[] {
  if (type === 'VARIANT_FLAG_TYPE') {
    if (rollouts.length === 0) return [];
    const problem = 'only a BOOLEAN_FLAG_TYPE has rollouts';
    return [ignored([...path, 'rollouts'], problem, 'Flipt ignores them.')];
  }
  return rollouts.flatMap((rollout, at) => {
    const here = [...path, 'rollouts', at];
    if (rollout === undefined)
      return unless(
        version !== 'v1',
        here,
        'expected either segment or threshold',
        'Flipt ignores the rollout.',
      );
    if (rollout.kind === 'segment') return wrongSegments(rollout.segmentKeys, [...here, 'segment'], segments);
    return wrongPercentage(rollout.percentage, [...here, 'threshold', 'percentage'], true);
  });
}

function wrongSegments(keys: readonly string[], path: Path, segments: ReadonlySet<string>): Problem[] {
  if (keys.length === 0) {
    const effect = 'Flipt takes it: with AND_SEGMENT_OPERATOR it applies to everybody, else to nobody.';
    return [ignored(path, 'expected at least one segment key', effect)];
  }
  return keys
    .filter((key) => !segments.has(key))
    .map((key) => unknownKey('segment', 'this document', key, path));
}

function unknownKey(part: string, whole: string, key: string, path: Path): Problem {
  return invalid(path, `expected the key of a ${part} of ${whole}, got ${quoted(key)}`);
}

function wrongPercentage(percentage: number, path: Path, isTaken: boolean): Problem[] {
  if (percentage >= 0 && percentage <= 100) return [];
  const problem = `expected a percentage from 0 to 100, got ${percentage}`;
  return [unless(isTaken, path, problem, 'Flipt takes it as it is.')];
}

function inSegment(
  { key, constraints }: CheckedSegment,
  path: Path,
  document: CheckedDocument,
  version: Version,
): Problem[] {
  const problems = wrongKey(key, [...path, 'key'], version);
  for (const [at, constraint] of constraints.entries()) {
    const here = [...path, 'constraints', at];
    if (constraint.property === '') {
      const problem = 'expected the name of an attribute, got none';
      problems.push(
        unless(
          version === 'v1',
          [...here, 'property'],
          problem,
          'Flipt v1 looks for an attribute without a name.',
        ),
      );
    }
    const wrong =
      wrongOperator(constraint, here, version) ?? wrongValue(constraint, here, document.version, version);
    if (wrong !== undefined) problems.push(wrong);
  }
  return problems;
}

type CheckedConstraint = CheckedSegment['constraints'][number];

const NOBODY = 'The constraint matches nobody.';

function wrongOperator(
  { type, operator }: CheckedConstraint,
  path: Path,
  version: Version,
): Problem | undefined {
  if (OPERATORS[type].includes(storedOperator(operator))) return undefined;
  const operators = OPERATORS[type].join(', ');
  const problem = `expected one of ${operators} for ${type}, got ${quoted(operator)}`;
  // Until 2.11, the schema of Flipt's files calls `lt` so, by mistake.
  const isMistaken = operator === 'le' && /^(?:NUMBER|DATETIME)/.test(type);
  if (version !== 'v1' && !isMistaken) return invalid([...path, 'operator'], problem);
  return {
    path: [...path, 'operator'],
    rule: OPERATOR_TYPE,
    level: 'error',
    problem: `${problem}. ${NOBODY}`,
  };
}

/** Flipt takes any text, comparable or not. */
function wrongValue(
  { type, operator: written, value }: CheckedConstraint,
  path: Path,
  format: unknown,
  version: Version,
): Problem | undefined {
  const operator = storedOperator(written);
  const isList = LIST_OPERATORS.includes(operator);
  const here = [...path, 'value'];
  if (typeof value !== 'string') {
    if (!isList) return invalid(here, `expected a string for ${operator}, got a list`);
    const problem = wrongList(type, value, format, version);
    return problem === undefined ? undefined : invalid(here, problem);
  }
  if (OPERATORS_WITHOUT_VALUE.includes(operator) || isReadableValue(type, operator, value)) return undefined;
  const isLeftOut = version === 'v2.11';
  // An empty number or date matches nobody, and that is not why Flipt leaves a segment out.
  if (value === '' && !(isList && isLeftOut)) return undefined;
  const problem = `expected ${isList ? `a JSON array of ${memberWords(type)}${suggestion(type, value)}` : valueWords(type)}, got ${shown(value)}`;
  if (!isLeftOut)
    return { path: here, rule: UNREADABLE_VALUE, level: 'error', problem: `${problem}. ${NOBODY}` };
  if (value === '' && isFormatBefore(formatOf(format, version), '1.6'))
    return { path: here, rule: REFUSED, level: 'error', problem: `${problem}. ${effectOf(version)}` };
  const effect =
    'Flipt 2.11 leaves the segment out of all rules and rollouts: one that needs all of its segments (AND_SEGMENT_OPERATOR) then applies to everybody who is in the others.';
  return { path: here, rule: SEGMENT_LEFT_OUT, level: 'error', problem: `${problem}. ${effect}` };
}

function valueWords(type: ComparisonType): string {
  return type === 'NUMBER_COMPARISON_TYPE' ? 'a number' : 'a date-time as RFC 3339 has it, or YYYY-MM-DD';
}

function memberWords(type: ComparisonType): string {
  return type === 'NUMBER_COMPARISON_TYPE' ? 'numbers' : 'strings';
}

/** A longer list is not suggested. */
const MOST_SUGGESTED = 60;

/** For somebody who wrote a list as words, such as `de, fr`. */
function suggestion(type: ComparisonType, value: string): string {
  if (!/^[\w.-]+(?:\s*,\s*[\w.-]+)*$/.test(value) || value.length > MOST_SUGGESTED) return '';
  const words = value.split(',').map((word) => word.trim());
  if (type !== 'NUMBER_COMPARISON_TYPE') return `, such as '${JSON.stringify(words)}'`;
  return words.every((word) => /^-?\d+(?:\.\d+)?$/.test(word)) ? `, such as '[${words.join(',')}]'` : '';
}

/** Since 2.11, Flipt reads and writes lists, from version 1.6 of the format on. */
function wrongList(
  type: ComparisonType,
  list: readonly unknown[],
  format: unknown,
  version: Version,
): string | undefined {
  if (!takesLists(semanticsOf(version)))
    return 'expected a JSON array in quotes, because Flipt v1 takes no list (v2.11 does)';
  if (isFormatBefore(formatOf(format, 'v2.11'), '1.6'))
    return `expected a JSON array in quotes, because version ${String(format)} of the format has no lists; 1.6 has`;
  const words = memberWords(type);
  const wrong = list.find((each) => !(words === 'strings' ? typeof each === 'string' : isNumber(each)));
  return wrong === undefined ? undefined : `expected a list of ${words}, got ${kindOf(wrong)} in it`;
}

function isNumber(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
}
