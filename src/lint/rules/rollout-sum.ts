import { quoted } from '../../text/describe.js';
import type { CheckedFlag } from '../../features/document-schema.js';
import type { LintRule } from '../finding.js';
import { sharesOf } from '../rollout-shares.js';
import { fallbackOf } from '../rule-order.js';

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
