import {
  compileConstraint,
  isReadable,
  membersOf,
  neededContent,
  OPERATORS,
  PARSE,
} from '../../engine/constraint-match.js';
import type { Content } from '../../engine/constraint-match.js';
import { EvaluatedEntity } from '../../engine/entity.js';
import type { Constraint, Segment, SegmentChoice } from '../../engine/features.js';
import { neededConstraints, neededSegments } from '../../engine/parts-in-force.js';
import type { Value } from '../../engine/entity.js';
import { FALSE_WORDS, isBlank, parseStrings, TRUE_WORDS } from '../../engine/go-syntax.js';
import { quoted } from '../../base/text/describe.js';

/**
 * Whether a segment, a rule or a rollout applies to all entities, to none, or to some. The values `everybody` and
 * `nobody` are used only if they are certain; in all other cases, the value is `some`.
 */
export type Reach = 'everybody' | 'nobody' | 'some';

/** Returns whether a segment matches everybody, nobody or some entities. */
export function segmentReach({ matchType, constraints }: Segment): Reach {
  const needed = neededConstraints(matchType, constraints.length);
  if (needed === undefined) return 'nobody';
  if (needed === 'none') return 'everybody';
  if (needed === 'all') {
    return constraints.some(isImpossible) || firstContradiction(constraints) >= 0 ? 'nobody' : 'some';
  }
  if (constraints.every(isImpossible)) return 'nobody';
  return coverEverything(constraints) ? 'everybody' : 'some';
}

/** Returns whether the segments of a rule or rollout, with their operator, match everybody, nobody or some entities. */
export function choiceReach(choice: SegmentChoice, ofSegments: ReadonlyMap<string, Reach>): Reach {
  const reaches = choice.segmentKeys.map((key) => ofSegments.get(key) ?? 'nobody');
  // With OR, the result is `everybody` if one segment matches everybody, and `nobody` if all segments match nobody.
  // With AND, the result is `nobody` if one segment matches nobody, and `everybody` if all segments match everybody.
  const [alone, together]: readonly [Reach, Reach] =
    neededSegments(choice.segmentOperator) === 'one' ? ['everybody', 'nobody'] : ['nobody', 'everybody'];
  if (reaches.includes(alone)) return alone;
  return reaches.every((reach) => reach === together) ? together : 'some';
}

// The functions below do not find all contradictions between constraints, but each contradiction that they find is
// certain.

/** Returns whether it is certain that a constraint matches no value at all. */
export function isImpossible(constraint: Constraint): boolean {
  const { type, operator, value } = constraint;
  if (!OPERATORS[type].includes(operator) || !isReadable(constraint)) return true;
  // No value matches `notcontains` with an empty text, because every text contains the empty text.
  if (operator === 'notcontains' && value === '') return true;
  // Flipt trims the attribute before `prefix` and `suffix` compare it, so the trimmed text never begins or ends with a
  // blank.
  if (operator === 'prefix') return value !== '' && isBlank(value.charAt(0));
  if (operator === 'suffix') return value !== '' && isBlank(value.charAt(value.length - 1));
  const range = rangeOf(constraint);
  return textsOf(constraint)?.length === 0 || (range !== undefined && isEmpty(range));
}

/**
 * Returns the position of the first constraint that no value can match together with the constraints before it, or -1
 * if no such constraint is found.
 */
export function firstContradiction(constraints: readonly Constraint[]): number {
  // The maps `texts`, `contents` and `ranges` describe the values that match all constraints up to the current one.
  // Each key of these maps names the attribute, or the entity id, that the constraints compare.
  const texts = new Map<string, readonly string[]>();
  const contents = new Map<string, Content>();
  const ranges = new Map<string, Range>();
  return constraints.findIndex((constraint, at) => {
    const subject = subjectOf(constraint);
    const leftBefore = texts.get(subject);
    const named = leftBefore ?? textsOf(constraint);
    // The first constraint that lists texts is tested together with all constraints before it. Each later constraint
    // only filters the texts that are left, so that the loop tests each constraint at most twice.
    const tested = leftBefore || !named ? [constraint] : constraints.slice(0, at + 1);
    const tests = tested.filter((each) => subjectOf(each) === subject).map(matchedBy);
    const left = named?.filter((text) => tests.every((matches) => matches(text)));
    if (left) texts.set(subject, left);

    const needed = contentOf(constraint);
    const content = contents.get(subject) ?? needed;
    if (content) contents.set(subject, content);

    const compared = `${constraint.type} ${subject}`;
    const range = rangeOf(constraint);
    const both = range && overlap(range, ranges.get(compared));
    if (both) ranges.set(compared, both);
    return left?.length === 0 || (needed && needed !== content) || (both && isEmpty(both));
  });
}

/**
 * Returns whether it is certain that, for every entity, at least one of the constraints matches, whether or not the
 * entity has the attribute.
 */
function coverEverything(constraints: readonly Constraint[]): boolean {
  const subjectsOf = (needed: Content) =>
    constraints.filter(({ operator }) => neededContent(operator) === needed).map(subjectOf);
  const blank = new Set(subjectsOf('blank'));
  return subjectsOf('filled').some((subject) => blank.has(subject));
}

/** Describes what a constraint compares: the entity id or an attribute. */
export function subjectOf({ type, property }: Constraint): string {
  return type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `attribute ${quoted(property)}`;
}

function matchedBy(constraint: Constraint): (text: string) => boolean {
  const matches = compileConstraint(constraint);
  return (text) => matches(new EvaluatedEntity(text, {}, () => text));
}

/**
 * Returns all texts that a constraint can match, or `undefined` if the constraint does not list texts. For example, a
 * constraint on a string with the operator `eq` or `isoneof` lists texts.
 */
function textsOf({ type, operator, value }: Constraint): readonly string[] | undefined {
  if (type === 'BOOLEAN_COMPARISON_TYPE') return BOOLEANS.get(operator);
  if (type !== 'STRING_COMPARISON_TYPE' && type !== 'ENTITY_ID_COMPARISON_TYPE') return undefined;
  const texts = operator === 'eq' ? [value] : operator === 'isoneof' ? parseStrings(value) : undefined;
  return texts?.filter((text) => text !== '');
}

const BOOLEANS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ true: TRUE_WORDS, false: FALSE_WORDS }),
);

function contentOf({ type, operator }: Constraint): Content | undefined {
  const isText = type === 'STRING_COMPARISON_TYPE' || type === 'ENTITY_ID_COMPARISON_TYPE';
  // Apart from `notpresent`, a constraint on numbers, booleans or dates matches only an attribute with content, because
  // a blank text is not a number, a boolean or a date.
  return neededContent(operator) ?? (isText ? undefined : 'filled');
}

/** The numbers or points in time between two bounds. */
interface Range {
  readonly low: Bound;
  readonly high: Bound;
}

interface Bound {
  readonly at: Value;
  /** Is `true` if the bound itself does not belong to the range. */
  readonly isOpen: boolean;
}

/**
 * Returns the range of numbers or points in time that a constraint matches. Returns `undefined` if the constraint sets
 * no bounds, for example because its operator is `neq`.
 */
function rangeOf({ type, operator, value }: Constraint): Range | undefined {
  if (type !== 'NUMBER_COMPARISON_TYPE' && type !== 'DATETIME_COMPARISON_TYPE') return undefined;
  if (operator === 'isoneof') {
    const list = (membersOf(type, value) ?? []).map(Number);
    return { low: { at: Math.min(...list), isOpen: false }, high: { at: Math.max(...list), isOpen: false } };
  }
  const at = PARSE[type](value);
  if (at === undefined) return undefined;
  const bound = { at, isOpen: operator === 'lt' || operator === 'gt' };
  const isLow = operator === 'eq' || operator === 'gt' || operator === 'gte';
  const isHigh = operator === 'eq' || operator === 'lt' || operator === 'lte';
  if (!isLow && !isHigh) return undefined;
  return { low: isLow ? bound : LOWEST, high: isHigh ? bound : HIGHEST };
}

/**
 * Returns whether no value lies in a range. A range with NaN as a bound is empty, because no comparison with NaN is
 * true.
 */
function isEmpty({ low, high }: Range): boolean {
  return !(low.isOpen || high.isOpen ? low.at < high.at : low.at <= high.at);
}

function overlap(one: Range, other: Range = { low: LOWEST, high: HIGHEST }): Range {
  const isHigher = one.low.at > other.low.at || (one.low.at === other.low.at && one.low.isOpen);
  const isLower = one.high.at < other.high.at || (one.high.at === other.high.at && one.high.isOpen);
  return { low: isHigher ? one.low : other.low, high: isLower ? one.high : other.high };
}

// `Infinity` also works as a bound of a range of dates, because JavaScript can compare a bigint with a number.
const LOWEST: Bound = { at: -Infinity, isOpen: false };
const HIGHEST: Bound = { at: Infinity, isOpen: false };
