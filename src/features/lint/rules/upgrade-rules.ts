import { isSharedEqually } from '../../../engine/buckets.js';
import type { Semantics } from '../../../engine/features.js';
import { sharesIn } from '../../../engine/parts-in-force.js';
import type { CheckedFlag } from '../../document-schema.js';
import { rankedRules } from '../../recorded-features.js';
import { quoted } from '../../../base/text/describe.js';
import type { LintProblem, LintRule } from '../finding.js';
import { sharesOf } from '../evaluation-steps.js';
import { sharesText } from './flag-rules.js';

/**
 * Finds variant flags that Flipt evaluates in another way after an upgrade from the version `from`. If this package
 * accepts a file for both versions, an upgrade does not change how Flipt evaluates the boolean flags in the file.
 */
export const evaluatedDifferently =
  (from: Semantics): LintRule =>
  ({ content, semantics: to }) =>
    content.flags.flatMap((flag, index) => {
      if (flag.type !== 'VARIANT_FLAG_TYPE') return [];
      return [...otherOrder(flag, index, from, to), ...otherShares(flag, index, from, to)];
    });

function otherOrder(flag: CheckedFlag, index: number, from: Semantics, to: Semantics): LintProblem[] {
  const orderIn = (semantics: Semantics) =>
    rankedRules(flag.rules, semantics)
      .map((rule) => rule.index + 1)
      .join(', ');
  const [before, after] = [orderIn(from), orderIn(to)];
  if (before === after) return [];
  return [
    {
      path: ['flags', index, 'rules'],
      problem: `The rules of flag ${quoted(flag.key)} apply in another order.`,
      effect: `Flipt ${from} applies them by their ranks, ${before}; Flipt ${to} ignores ranks: ${after}.`,
      fix: 'Write them in the order of their ranks.',
    },
  ];
}

function otherShares(flag: CheckedFlag, index: number, from: Semantics, to: Semantics): LintProblem[] {
  return flag.rules.flatMap(({ distributions }, at) => {
    if (isSharedEqually(sharesIn(distributions), from, to)) return [];
    const given = (semantics: Semantics) => sharesText(sharesOf(distributions, semantics), flag);
    return {
      path: ['flags', index, 'rules', at, 'distributions'],
      problem: `Rule ${at + 1} of flag ${quoted(flag.key)} divides its entities in another way.`,
      effect: `Flipt ${from} gives ${given(from)}; Flipt ${to} gives ${given(to)}.`,
      fix: 'Write percentages that add up to 100, as you want them.',
    };
  });
}
