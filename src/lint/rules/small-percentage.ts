import { quoted } from '../../text/describe.js';
import type { LintRule } from '../finding.js';

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
