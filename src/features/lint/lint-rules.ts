import type { Semantics } from '../../engine/features.js';
import { takesPlainAttachments } from '../../engine/version-differences.js';
import type { Level, LintRule, LintSettings } from './finding.js';
import * as flagRules from './rules/flag-rules.js';
import * as segmentRules from './rules/segment-rules.js';

/* Users write the names of rules in comments and settings, so the names must not change. */

/**
 * `refused` finds what the chosen Flipt refuses; `refused-elsewhere` finds what another version with the same semantics
 * refuses. Both of these rules read all documents of a file at once.
 */
export const REFUSED = 'refused';
export const REFUSED_ELSEWHERE = 'refused-elsewhere';

/** The rule about mistakes that only this package refuses. This rule reads all documents of a file at once. */
export const UNREADABLE = 'unreadable';

/**
 * These rules find some of the mistakes that make a file unreadable. The rule `unreadable` does not report a mistake
 * again that one of these rules has found.
 */
export const OF_MISTAKES: readonly string[] = [REFUSED, 'operator-type', 'text-attachment'];

/**
 * These rules depend on which entities a segment matches. These rules report nothing about a segment that has a
 * mistake.
 */
export const OF_REACH: readonly string[] = ['unreachable-rule', 'never-matches', 'single-value'];

/** The rules that read one document at a time, by their names. */
export const LINT_RULES: ReadonlyMap<string, LintRule> = new Map([
  ['missing-type', flagRules.missingType],
  ['rollout-sum', flagRules.rolloutSum],
  ['small-percentage', flagRules.smallPercentage],
  ['text-attachment', flagRules.textAttachment],
  ['boolean-variants', flagRules.booleanVariants],
  ['unused-segment', segmentRules.unusedSegment],
  ['unreachable-rule', flagRules.unreachableRule],
  ['never-matches', segmentRules.neverMatches],
  ['operator-type', segmentRules.operatorType],
  ['single-value', flagRules.singleValue],
]);

/**
 * The rule that replaces {@link LINT_RULES} if `lint` checks a file before an upgrade of Flipt. This rule finds the
 * flags that the new version evaluates in another way.
 */
export const DIFFERENT = 'evaluated-differently';

/** The rule about comments that name no rule. This rule reads no document. */
export const COMMENTS = 'unknown-rule';

/** The names of all rules. */
export const RULE_NAMES: readonly string[] = [
  REFUSED,
  REFUSED_ELSEWHERE,
  UNREADABLE,
  DIFFERENT,
  ...LINT_RULES.keys(),
  COMMENTS,
];

const ERRORS: readonly string[] = [REFUSED, UNREADABLE, 'operator-type'];
const INFOS: readonly string[] = [REFUSED_ELSEWHERE, 'unused-segment'];

/** Returns the level that a rule has if the user sets no other level. */
export function defaultLevel(rule: string, semantics: Semantics): Level {
  const isRefused = rule === 'text-attachment' && !takesPlainAttachments(semantics);
  if (isRefused || ERRORS.includes(rule)) return 'error';
  return INFOS.includes(rule) ? 'info' : 'warning';
}

/** The settings if the user sets nothing: warnings and errors make the command fail. */
export const NO_SETTINGS: LintSettings = { rules: new Map(), maxLevel: 'info' };
