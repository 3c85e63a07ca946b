import { quoted } from '../../../base/text/describe.js';
import type { LintRule } from '../finding.js';
import { OPERATORS, OPERATORS_WITHOUT_VALUE } from '../../../engine/constraint-match.js';
import type { Constraint, Segment } from '../../../engine/features.js';
import { isV2 } from '../../../engine/version-differences.js';
import { neededConstraints } from '../../../engine/parts-in-force.js';
import { storedOperator } from '../../normal-forms.js';
import { firstContradiction, isImpossible, subjectOf } from '../segment-coverage.js';

/** Finds a segment that no rule and no rollout names. */
export const unusedSegment: LintRule = ({ content }) => {
  const steps = content.flags.flatMap(({ rules, rollouts }) => [...rules, ...rollouts]);
  const used = new Set(steps.flatMap((step) => ('segmentKeys' in step ? step.segmentKeys : [])));
  return content.segments.flatMap(({ key }, index) => {
    if (used.has(key)) return [];
    return {
      path: ['segments', index],
      problem: `No rule and no rollout uses segment ${quoted(key)}.`,
      effect: 'It decides nothing.',
      fix: 'Remove it, or name it in a rule or a rollout.',
    };
  });
};

/**
 * Finds an operator that the constraint's type does not have. For Flipt v2, `operator-type` finds nothing, because the
 * rule `refused` or `unreadable` reports the operator.
 */
export const operatorType: LintRule = ({ content, semantics }) =>
  content.segments.flatMap(({ key, constraints }, index) =>
    constraints.flatMap(({ type, operator }, at) => {
      const operators = OPERATORS[type];
      if (isV2(semantics) || operators.includes(storedOperator(operator))) return [];
      return {
        path: ['segments', index, 'constraints', at, 'operator'],
        problem: `Constraint ${at + 1} of segment ${quoted(key)} has the operator ${quoted(operator)}, which ${type} does not have.`,
        effect: 'The constraint matches nobody, and the command serve refuses the file.',
        fix: `Write one of ${operators.join(', ')}, or change the type.`,
      };
    }),
  );

/**
 * Finds a constraint that no value can match, and a constraint that contradicts earlier constraints of the same
 * segment.
 */
export const neverMatches: LintRule = ({ content, segments, reaches }) =>
  content.segments.flatMap(({ key }, index) => {
    const segment = segments.get(key);
    if (segment === undefined) return [];
    const effect =
      reaches.get(key) === 'nobody'
        ? 'The segment matches nobody.'
        : 'The constraint matches nobody: the others of the segment decide.';
    const contradicting = contradictionIn(segment);
    return segment.constraints.flatMap((constraint, at) => {
      // The lint rule operator-type reports a constraint whose type does not have the operator, so this rule does not.
      const isAlone = isImpossible(constraint) && OPERATORS[constraint.type].includes(constraint.operator);
      if (!isAlone && at !== contradicting) return [];
      const what = `${subjectOf(constraint)} ${constraint.operator} ${quoted(constraint.value)}`;
      return {
        path: ['segments', index, 'constraints', at],
        problem: `Constraint ${at + 1} of segment ${quoted(key)}, ${what}, can never match${isAlone ? '' : ' together with those before it'}.`,
        effect,
        fix: isAlone ? fixOf(constraint) : 'Correct one of them, or write match_type: ANY_MATCH_TYPE.',
      };
    });
  });

/**
 * Returns the position of the first constraint that contradicts the constraints before it. Returns -1 if no constraint
 * contradicts others, if one of the constraints can never match even alone, or if an entity need not match all
 * constraints of the segment.
 */
function contradictionIn({ matchType, constraints }: Segment): number {
  const areAllNeeded = neededConstraints(matchType, constraints.length) === 'all';
  return areAllNeeded && !constraints.some(isImpossible) ? firstContradiction(constraints) : -1;
}

function fixOf({ type, operator, value }: Constraint): string {
  if (value === '' && !OPERATORS_WITHOUT_VALUE.includes(operator)) {
    const forNone = OPERATORS[type].includes('empty') ? 'empty' : 'notpresent';
    return `Write a value, or the operator ${forNone} for entities without one.`;
  }
  if (operator !== 'prefix' && operator !== 'suffix') return 'Correct its operator or its value.';
  return 'Remove the blanks at the end of its value: the attribute is trimmed before it is compared.';
}
