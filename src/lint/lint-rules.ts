import type { LintRule } from './finding.js';
import { booleanVariants } from './rules/boolean-variants.js';
import { missingType } from './rules/missing-type.js';
import { neverMatches } from './rules/never-matches.js';
import { operatorType } from './rules/operator-type.js';
import { rolloutSum } from './rules/rollout-sum.js';
import { singleValue } from './rules/single-value.js';
import { smallPercentage } from './rules/small-percentage.js';
import { textAttachment } from './rules/text-attachment.js';
import { unreachableRule } from './rules/unreachable-rule.js';
import { unusedSegment } from './rules/unused-segment.js';

/** The rules by their names, which comments and the output use: a changed name breaks files of users. */
export const LINT_RULES: ReadonlyMap<string, LintRule> = new Map([
  ['missing-type', missingType],
  ['rollout-sum', rolloutSum],
  ['small-percentage', smallPercentage],
  ['text-attachment', textAttachment],
  ['boolean-variants', booleanVariants],
  ['unused-segment', unusedSegment],
  ['unreachable-rule', unreachableRule],
  ['never-matches', neverMatches],
  ['operator-type', operatorType],
  ['single-value', singleValue],
]);
