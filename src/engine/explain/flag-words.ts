import { quoted } from '../../base/text/describe.js';
import { OPERATORS, OPERATORS_WITHOUT_VALUE } from '../constraint-match.js';
import type { Constraint, Features, Flag, Segment, SegmentChoice, VariantFlag } from '../features.js';
import { neededConstraints, neededSegments, sharesIn, variantOf } from '../parts-in-force.js';

/**
 * Describes the rules or rollouts of a flag in plain text, independently of any entity. In the result, `otherwise`
 * describes what the flag gives if no rule or rollout applies. Keys, the names of attributes and the values of
 * constraints are quoted.
 */
export function flagWords(flag: Flag, { segments }: Features) {
  const stepWords = (title: string, { segmentKeys, segmentOperator }: SegmentChoice) => ({
    text: `${title}; ${operatorText(segmentOperator, segmentKeys.length)}`,
    segments: segmentKeys.map((key) => segmentWords(key, segments.get(key))),
  });
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const steps = flag.rollouts.map((rollout, at) => {
      const title = `Rollout ${at + 1}: ${rollout.value}`;
      if (rollout.kind === 'segment') return stepWords(title, rollout);
      return { text: `${title} for ${rollout.percentage} % of entities`, segments: [] };
    });
    return { steps, otherwise: `Otherwise: ${flag.enabled}` };
  }
  const steps = flag.rules.map((rule, at) => {
    const shares = sharesIn(rule.distributions)
      .map(({ rollout, variantId }) => shareText(rollout, flag.variants.get(variantId)?.key))
      .join(', ');
    return stepWords(`Rule ${at + 1}: ${shares || 'no variant'}`, rule);
  });
  return { steps, otherwise: otherwiseText(flag) };
}

/**
 * Describes the share that a variant has in a rule. If `variant` is `undefined`, the text says `the default variant`.
 */
export function shareText(rollout: number, variant: string | undefined): string {
  return `${rollout} % ${variantText(variant, 'the default variant')}`;
}

export function variantText(key: string | undefined, otherwise = 'no variant'): string {
  return key === undefined ? otherwise : `variant ${quoted(key)}`;
}

function otherwiseText(flag: VariantFlag): string {
  const given = variantText(variantOf(flag, flag.defaultVariantId)?.key);
  return flag.enabled ? `Otherwise: ${given}` : `The flag is disabled: no rule is evaluated, ${given}`;
}

function segmentWords(key: string, segment: Segment | undefined) {
  const { matchType, constraints = [] } = segment ?? {};
  return {
    text: `Segment ${quoted(key)}: ${matchTypeText(matchType, constraints.length)}`,
    constraints: constraints.map(comparisonText),
  };
}

export function operatorText(operator: SegmentChoice['segmentOperator'], count: number): string {
  if (count === 0) return 'it names no segments';
  const needed = neededSegments(operator);
  if (needed === 'none') return 'its operator is unknown and asks for no segment';
  if (count === 1) return 'its segment decides';
  return `it needs ${needed} of its segments`;
}

export function matchTypeText(matchType: Segment['matchType'] | undefined, count: number): string {
  if (matchType === undefined) return 'it does not exist';
  const needed = neededConstraints(matchType, count);
  if (needed === undefined) return 'its match type is unknown';
  if (needed === 'none') return 'it has no constraints';
  if (count === 1) return 'its constraint decides';
  return `it needs ${needed} of its constraints`;
}

/** Describes a constraint: the attribute, the operator and the value. */
export function comparisonText({ type, property, operator, value }: Constraint): string {
  const compared =
    type === 'ENTITY_ID_COMPARISON_TYPE' ? 'the entity id' : `${TYPE_WORDS[type]} ${quoted(property)}`;
  const bound = OPERATORS_WITHOUT_VALUE.includes(operator) ? '' : ` ${quoted(value)}`;
  const name = OPERATORS[type].includes(operator) ? operator : quoted(operator);
  return `${compared} ${name}${bound}`;
}

export const TYPE_WORDS: Readonly<Record<Constraint['type'], string>> = {
  STRING_COMPARISON_TYPE: 'string',
  NUMBER_COMPARISON_TYPE: 'number',
  BOOLEAN_COMPARISON_TYPE: 'boolean',
  DATETIME_COMPARISON_TYPE: 'date-time',
  ENTITY_ID_COMPARISON_TYPE: 'entity id',
};
