import { quoted } from '../../../base/text/describe.js';
import { listOf, memberOf } from '../../document-parts.js';
import type { LintRule, Sentences } from '../finding.js';
import { underThreshold } from '../../../engine/buckets.js';
import { ordersByRank, takesPlainAttachments } from '../../../engine/version-differences.js';
import { parsedJson } from '../../../base/text/json.js';
import type { CheckedFlag } from '../../document-schema.js';
import {
  fallbackOf,
  sharesOf,
  stepsOf,
  type GivenValue,
  type Step,
  stepsInFrontOf,
} from '../evaluation-steps.js';

/**
 * Finds a flag that has neither a type nor variants. A flag with variants but without a type is not reported, because
 * its author probably meant a variant flag: in version 1.0 of the file format, flags have no type.
 */
export const missingType: LintRule = ({ given, content }) =>
  content.flags.flatMap(({ key, variants }, index) => {
    if (hasType(given, index) || variants.length > 0) return [];
    return {
      path: ['flags', index],
      problem: `Flag ${quoted(key)} has no type, so it is a variant flag.`,
      effect: 'It has no variants: every call, such as getBooleanValue, returns its own default value.',
      fix: 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.',
    };
  });

/** Returns whether the flag's type is written in the document. */
export function hasType(given: unknown, index: number): boolean {
  return Boolean(memberOf(listOf(given, 'flags')[index], 'type'));
}

/** Finds a boolean flag that has variants or rules. Flipt ignores the variants and rules of boolean flags. */
export const booleanVariants: LintRule = ({ content }) =>
  content.flags.flatMap((flag, index) => {
    if (flag.type !== 'BOOLEAN_FLAG_TYPE') return [];
    const unread = (['variants', 'rules'] as const).filter((name) => flag[name].length > 0);
    return unread.map((name) => ({
      path: ['flags', index, name],
      problem: `The boolean flag ${quoted(flag.key)} has ${name}.`,
      effect: 'Flipt ignores them: only its rollouts and its member enabled decide.',
      fix: `Remove the ${name}, or write type: VARIANT_FLAG_TYPE.`,
    }));
  });

/**
 * Finds an attachment that is a text. No method of the OpenFeature client returns the text of an attachment to the app.
 */
export const textAttachment: LintRule = ({ content, semantics }) =>
  content.flags.flatMap(({ key, type, variants }, index) => {
    if (type !== 'VARIANT_FLAG_TYPE') return [];
    return variants.flatMap(({ key: variant, attachment }, at) => {
      if (typeof attachment !== 'string') return [];
      const isQuoted = parsedJson(attachment) !== undefined;
      return {
        path: ['flags', index, 'variants', at, 'attachment'],
        problem: `The attachment of variant ${quoted(variant)} of flag ${quoted(key)} is ${isQuoted ? 'JSON in quotes, and so a text' : 'a text that is not JSON'}.`,
        effect: takesPlainAttachments(semantics)
          ? 'getObjectValue returns its own default value, with TYPE_MISMATCH.'
          : 'Flipt v2 refuses the file.',
        fix: isQuoted ? 'Remove the quotes around it.' : 'Write a mapping or a list.',
      };
    });
  });

/**
 * Finds a flag that gives the same value to everybody although it has rules or rollouts, and a variant flag that gives
 * no variant to anybody. A boolean flag without rollouts, and a variant flag with a default variant and no rules, are
 * not reported, because their value is set directly. A variant flag whose rules give its only variant to everybody is
 * not reported if that variant is not the default variant, because `enabled` then switches the variant on and off.
 */
export const singleValue: LintRule = (document) =>
  document.content.flags.flatMap((flag, index) => {
    // The rule missing-type already reports a flag that has neither a type nor variants.
    if (flag.variants.length === 0 && !hasType(document.given, index)) return [];
    const words = wordsAbout(flag, stepsOf(flag, document), listOf(document.given, 'flags')[index]);
    return words === undefined ? [] : { path: ['flags', index], ...words };
  });

function wordsAbout(flag: CheckedFlag, steps: readonly Step[], given: unknown): Sentences | undefined {
  const fallback = fallbackOf(flag);
  const [only, ...others] = valuesOf(steps, fallback);
  if (others.length > 0) return undefined;
  if (flag.type === 'BOOLEAN_FLAG_TYPE')
    return steps.length === 0 ? undefined : aboutRollouts(flag, only, given);
  if (only === undefined) return aboutNothing(flag);
  const isSwitch = flag.variants.length === 1 && fallback === undefined;
  return steps.length === 0 || isSwitch ? undefined : aboutRules(flag, only);
}

/** Returns all values that an enabled flag can give. */
function valuesOf(steps: readonly Step[], fallback: GivenValue): readonly GivenValue[] {
  const last = steps.findIndex(({ reach }) => reach === 'everybody');
  const reached = last < 0 ? steps : steps.slice(0, last + 1);
  const given = reached.flatMap(({ reach, gives }) => (reach === 'nobody' ? [] : gives));
  return [...new Set(last < 0 ? [...given, fallback] : given)];
}

function aboutRollouts({ key, enabled, rollouts }: CheckedFlag, only: GivenValue, given: unknown): Sentences {
  const isRepeated = rollouts.every(({ value }) => value === enabled);
  const problem = `The rollouts of flag ${quoted(key)} make no difference.`;
  if (only === false) {
    const without = listOf(given, 'rollouts').flatMap((rollout, at) => (hasValue(rollout) ? [] : at + 1));
    const why =
      without.length === 0 ? '' : `: without value, as in ${rolloutWords(without)}, a rollout gives false`;
    const removed = enabled ? 'remove them and write enabled: false' : 'remove them';
    return {
      problem,
      effect: `Everybody gets false${why}.`,
      fix: `Write value: true in each rollout that is to give true, or ${removed}.`,
    };
  }
  return {
    problem,
    effect: `Everybody gets ${String(only)}.`,
    fix: isRepeated
      ? 'Write enabled: false if only the rollouts are to give true, or remove them.'
      : 'Correct the rollouts, or remove them and write enabled: true.',
  };
}

/** Names rollouts by their numbers, such as `rollout 1` or `rollouts 1, 2 and 4`. */
function rolloutWords(numbers: readonly number[]): string {
  const last = String(numbers.at(-1));
  return numbers.length === 1 ? `rollout ${last}` : `rollouts ${numbers.slice(0, -1).join(', ')} and ${last}`;
}

/**
 * Returns whether the value of a rollout is written in the file. Flipt v2 omits the value `false` when it saves a file.
 */
function hasValue(rollout: unknown): boolean {
  return ['segment', 'threshold'].some((kind) => memberOf(memberOf(rollout, kind), 'value') != null);
}

function aboutRules({ key }: CheckedFlag, only: GivenValue): Sentences {
  return {
    problem: `The rules of flag ${quoted(key)} make no difference.`,
    effect: `While the flag is enabled, everybody gets ${quoted(String(only))}.`,
    fix: 'Correct them, or make this variant the default and remove them.',
  };
}

function aboutNothing({ key, variants }: CheckedFlag): Sentences | undefined {
  return {
    problem: `Flag ${quoted(key)} gives no variant to anybody.`,
    effect: 'Every call returns its own default value.',
    fix:
      variants.length === 0
        ? 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.'
        : 'Mark a variant with default: true, or add a rule with distributions.',
  };
}

/**
 * Finds a rule or rollout that never decides, because earlier rules or rollouts already apply to everybody, or to all
 * entities in the segments of the later one.
 */
export const unreachableRule: LintRule = (document) =>
  document.content.flags.flatMap((flag, index) => {
    const isRanked = ordersByRank(document.semantics) && flag.rules.some(({ rank }) => rank > 0);
    const steps = stepsInFrontOf(stepsOf(flag, document));
    return Array.from(steps).flatMap(([step, before]) => {
      // If the segments of a rule or rollout match nobody, the lint rule never-matches already reports them.
      if (before.length === 0 || step.reach === 'nobody') return [];
      const names = before.map(({ name }) => name).join(' and ');
      const isForAll = before.some(({ reach }) => reach === 'everybody');
      const who = isForAll ? 'everybody' : 'each of its entities';
      return {
        path: ['flags', index, ...step.path],
        problem: `In flag ${quoted(flag.key)}, ${step.name} stands behind ${names}, which already matches ${who}.`,
        effect: 'It never decides.',
        fix: `${isRanked ? 'Give it a lower rank than' : 'Move it before'} ${names}, or remove it.`,
      };
    });
  });

/**
 * If a sum of percentages differs from 100 by less than this, the sum counts as 100, because adding decimal fractions
 * rounds them.
 */
const TOLERANCE = 1e-6;

/**
 * Finds a rule whose percentages do not add up to 100. A rule without distributions is not reported, because it gives
 * the default variant.
 */
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

/** Describes the shares of the variants in a rule, such as `"red" to 60 %, no variant to 40 %`. */
export function sharesText(shares: ReturnType<typeof sharesOf>, flag: CheckedFlag): string {
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
 * Finds a threshold between 0 and 1 %. The author of a threshold such as 0.5 probably meant 50 %, because some other
 * services write percentages as fractions of 1. The rule `small-percentage` does not check distributions, because the
 * rule `rollout-sum` already finds distributions that are fractions of 1.
 */
export const smallPercentage: LintRule = ({ content }) =>
  content.flags.flatMap(({ key, type, rollouts }, index) => {
    if (type !== 'BOOLEAN_FLAG_TYPE') return [];
    return rollouts.flatMap((rollout, at) => {
      if (rollout.kind !== 'threshold' || rollout.percentage >= 1) return [];
      if (underThreshold(rollout.percentage) === 'nobody') return [];
      return {
        path: ['flags', index, 'rollouts', at, 'threshold', 'percentage'],
        problem: `The percentage of rollout ${at + 1} of flag ${quoted(key)} is ${rollout.percentage}.`,
        effect: 'It applies to at most 1 % of entities.',
        fix: `If you mean ${Number((rollout.percentage * 100).toFixed(4))} %, write that number.`,
      };
    });
  });
