import { quoted } from '../../text/describe.js';
import type { CheckedFlag } from '../../features/document-schema.js';
import type { LintRule } from '../finding.js';
import { sharesOf, fallbackOf } from '../rule-order.js';

/** Less than a rounding error of decimal fractions adds up to. */
const TOLERANCE = 1e-6;

/** Percentages of a rule that do not add up to 100. Without percentages, a rule gives the default variant. */
export const rolloutSum: LintRule = ({ content, semantics }) =>
  content.flags.flatMap((flag, index) => {
    if (flag.type !== 'VARIANT_FLAG_TYPE') return [];
    return flag.rules.flatMap(({ distributions }, at) => {
      const sum = distributions.reduce((total, { rollout }) => total + rollout, 0);
      if (distributions.length === 0 || Math.abs(sum - 100) < TOLERANCE) return [];
      return {
        path: ['flags', index, 'rules', at, 'distributions'],
        problem: `The percentages of rule ${at + 1} of flag ${quoted(flag.key)} add up to ${Number(sum.toFixed(4))}.`,
        effect: `Of the rule's entities, Flipt ${semantics} gives ${sharesText(sharesOf(distributions, semantics), flag)}.`,
        fix: 'Write percentages that add up to 100.',
      };
    });
  });

function sharesText(shares: ReturnType<typeof sharesOf>, flag: CheckedFlag): string {
  const byDefault = fallbackOf(flag);
  const otherwise =
    byDefault === undefined ? 'no variant' : `the default variant ${quoted(String(byDefault))}`;
  const texts = Array.from(
    shares,
    ([key, share]) => `${key === undefined ? otherwise : quoted(key)} to ${share} %`,
  );
  return texts.join(', ');
}

/**
 * A threshold between 0 and 1 %: probably a share of 1, as other services write it. Such percentages of a rule's
 * variants do not add up to 100, which is a finding of its own.
 */
export const smallPercentage: LintRule = ({ content }) =>
  content.flags.flatMap(({ key, type, rollouts }, index) => {
    if (type !== 'BOOLEAN_FLAG_TYPE') return [];
    return rollouts.flatMap((rollout, at) => {
      if (rollout.kind !== 'threshold' || rollout.percentage <= 0 || rollout.percentage >= 1) return [];
      return {
        path: ['flags', index, 'rollouts', at, 'threshold', 'percentage'],
        problem: `The percentage of rollout ${at + 1} of flag ${quoted(key)} is ${rollout.percentage}.`,
        effect: 'It applies to at most 1 % of entities.',
        fix: `If you mean ${Number((rollout.percentage * 100).toFixed(4))} %, write that number.`,
      };
    });
  });
