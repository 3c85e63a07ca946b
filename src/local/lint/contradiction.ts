import { compileConstraint } from '../../engine/constraints.js';
import type { Constraint } from '../../engine/features.js';
import { OPERATORS } from '../../engine/operators.js';
import { FALSE_WORDS, TRUE_WORDS } from '../../engine/syntax/boolean-words.js';
import { parseStrings } from '../../engine/syntax/lists.js';
import { isBlank } from '../../engine/syntax/whitespace.js';
import { quoted } from '../../text/quote.js';
import { isEmpty, overlap, rangeOf, type Range } from './range.js';

// All answers are one-sided: a contradiction is certain, and some are not found.

/** Whether a constraint matches no value at all. */
export function isImpossible(constraint: Constraint): boolean {
  const { type, operator, value } = constraint;
  if (!OPERATORS[type].includes(operator)) return true;
  // Evaluation trims the attribute, so it never begins or ends with a blank.
  if (operator === 'prefix') return value !== '' && isBlank(value.charAt(0));
  if (operator === 'suffix') return value !== '' && isBlank(value.charAt(value.length - 1));
  const range = rangeOf(constraint);
  return textsOf(constraint)?.length === 0 || (range !== undefined && isEmpty(range));
}

/** The position of the first constraint that no value matches together with those before it, else -1. */
export function firstContradiction(constraints: readonly Constraint[]): number {
  const possible = new Map<string, Possible>();
  return constraints.findIndex((constraint, at) => {
    const subject = subjectOf(constraint);
    const left = narrowed(possible.get(subject) ?? ANYTHING, constraint, () =>
      constraints.slice(0, at).filter((before) => subjectOf(before) === subject),
    );
    if (left !== undefined) possible.set(subject, left);
    return left === undefined;
  });
}

/** Whether every value of some attribute, and its absence, matches one of the constraints. */
export function coverEverything(constraints: readonly Constraint[]): boolean {
  const blank = new Set(constraints.filter(takesBlanks).map(subjectOf));
  return constraints.some(
    (constraint) =>
      (constraint.operator === 'notempty' || constraint.operator === 'present') &&
      blank.has(subjectOf(constraint)),
  );
}

/** What a constraint looks at. */
export function subjectOf({ type, property }: Constraint): string {
  return type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `attribute ${quoted(property)}`;
}

/** What is known about the values that match all constraints so far. A member is missing if nothing is known. */
interface Possible {
  readonly texts?: readonly string[] | undefined;
  readonly content?: 'blank' | 'filled' | undefined;
  readonly numbers?: Range | undefined;
  readonly dates?: Range | undefined;
}

const ANYTHING: Possible = {};

function narrowed(
  { texts: known, content, numbers, dates }: Possible,
  constraint: Constraint,
  before: () => readonly Constraint[],
): Possible | undefined {
  // After the first list, the texts are only filtered, so each constraint is looked at twice at most.
  const texts = (known ?? matchingAll(textsOf(constraint), before))?.filter(matchedBy(constraint));
  if (texts?.length === 0) return undefined;
  const needed = contentOf(constraint);
  if (content !== undefined && needed !== undefined && content !== needed) return undefined;
  const range = rangeOf(constraint);
  const isNumber = constraint.type === 'NUMBER_COMPARISON_TYPE';
  const both = range && overlap(range, isNumber ? numbers : dates);
  if (both !== undefined && isEmpty(both)) return undefined;
  return {
    texts,
    content: content ?? needed,
    numbers: isNumber ? (both ?? numbers) : numbers,
    dates: isNumber ? dates : (both ?? dates),
  };
}

function matchingAll(
  texts: readonly string[] | undefined,
  constraints: () => readonly Constraint[],
): readonly string[] | undefined {
  if (texts === undefined) return undefined;
  const tests = constraints().map(matchedBy);
  return texts.filter((text) => tests.every((matches) => matches(text)));
}

function matchedBy(constraint: Constraint): (text: string) => boolean {
  const matches = compileConstraint(constraint);
  return (text) => matches(text, () => text);
}

/** The only texts that a constraint may match, if it names them. An empty text is equal to none: the service's rule. */
function textsOf({ type, operator, value }: Constraint): readonly string[] | undefined {
  if (type === 'BOOLEAN_COMPARISON_TYPE') return BOOLEANS.get(operator);
  if (type !== 'STRING_COMPARISON_TYPE' && type !== 'ENTITY_ID_COMPARISON_TYPE') return undefined;
  const texts = operator === 'eq' ? [value] : operator === 'isoneof' ? parseStrings(value) : undefined;
  return texts?.filter((text) => text !== '');
}

const BOOLEANS: ReadonlyMap<string, readonly string[]> = new Map([
  ['true', TRUE_WORDS],
  ['false', FALSE_WORDS],
]);

function contentOf(constraint: Constraint): Possible['content'] {
  const { type, operator } = constraint;
  if (takesBlanks(constraint)) return 'blank';
  const isText = type === 'STRING_COMPARISON_TYPE' || type === 'ENTITY_ID_COMPARISON_TYPE';
  // A blank text is no number, boolean or date.
  return !isText || operator === 'notempty' ? 'filled' : undefined;
}

function takesBlanks({ operator }: Constraint): boolean {
  return operator === 'empty' || operator === 'notpresent';
}
