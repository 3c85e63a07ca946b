import type { LintRule } from './finding.js';
import {
  booleanVariants,
  missingType,
  singleValue,
  textAttachment,
  unreachableRule,
} from './rules/flag-rules.js';
import { neverMatches, operatorType, unusedSegment } from './rules/segment-rules.js';
import { rolloutSum, smallPercentage } from './rules/percentage-rules.js';

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
