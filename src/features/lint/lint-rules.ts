import type { Semantics } from '../../engine/features.js';
import { takesPlainAttachments } from '../../engine/version-differences.js';
import type { Level, LintRule, LintSettings } from './finding.js';
import * as flagRules from './rules/flag-rules.js';
import * as segmentRules from './rules/segment-rules.js';

/* Never change the name of a rule of `lint`, because users write the names of rules in comments and settings. */

/**
 * The rule `refused` finds what the chosen version of Flipt refuses. The rule `refused-elsewhere` finds what only other
 * parts or releases of Flipt refuse, such as the file storage of Flipt v1 or Flipt 2.10. The rules `refused` and
 * `refused-elsewhere` read all documents of a file at once.
 */
export const REFUSED = 'refused';
export const REFUSED_ELSEWHERE = 'refused-elsewhere';

/**
 * The rule `unreadable` reports mistakes that this package refuses although Flipt might accept them. If `lint` checks a
 * file before an upgrade of Flipt, the rule `unreadable` also reports mistakes that both versions of Flipt refuse. The
 * rule `unreadable` reads all documents of a file at once.
 */
export const UNREADABLE = 'unreadable';

/**
 * These rules find some of the mistakes because of which a file cannot be used. If one of these rules has found a
 * mistake, the rule `unreadable` does not report the same mistake again.
 */
export const OF_MISTAKES: readonly string[] = [REFUSED, 'operator-type', 'text-attachment'];

/**
 * The findings of these rules depend on which entities a segment matches. `lint` drops a finding of these rules about a
 * segment that has a mistake, because the mistake might change which entities the segment matches.
 */
export const OF_REACH: readonly string[] = ['unreachable-rule', 'never-matches', 'single-value'];

/** The rules that read one document at a time, by their names, except `evaluated-differently`. */
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
 * If `lint` checks a file before an upgrade of Flipt, this rule replaces all rules in {@link LINT_RULES}. The rule
 * `evaluated-differently` finds the flags that the new version of Flipt evaluates in another way.
 */
export const DIFFERENT = 'evaluated-differently';

/**
 * The rule `unknown-rule` reports comments that should turn rules off, but are misspelt, or name no rule or an unknown
 * rule. The rule `unknown-rule` reads only comments, and no document.
 */
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

/** The settings that apply if the user sets nothing: warnings and errors make the command fail, and infos do not. */
export const NO_SETTINGS: LintSettings = { rules: new Map(), maxLevel: 'info' };
