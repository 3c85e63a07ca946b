import { isSharedEqually, underThreshold } from '../../engine/buckets.js';
import { OPERATORS, OPERATORS_WITHOUT_VALUE } from '../../engine/constraint-match.js';
import type { Constraint, Segment, Semantics } from '../../engine/features.js';
import { sharesIn } from '../../engine/effective-rules.js';
import { ordersByRank } from '../../engine/version-differences.js';
import { quoted } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';
import { rankedRules } from '../normalize.js';
import { isReadableValue } from '../stored-values.js';
import { listOf, memberOf, type Problem } from '../problem.js';
import type { CheckedDocument, CheckedFlag } from '../schema.js';
import {
  fallbackOf,
  isImpossible,
  segmentReach,
  sharesOf,
  stepsInFrontOf,
  stepsOf,
  subjectOf,
  type GivenValue,
  type Reach,
  type Step,
} from './reach.js';

export interface LintedDocument {
  /** Without defaults. */
  readonly given: unknown;
  readonly content: CheckedDocument;
  readonly segments: ReadonlyMap<string, Segment>;
  readonly semantics: Semantics;
}

type Found = Pick<Problem, 'path' | 'problem' | 'fix'>;
type LintRule = (document: LintedDocument, reaches: ReadonlyMap<string, Reach>) => readonly Found[];

/** With variants, a flag without a type is probably meant as a variant flag: format 1.0 has no types. */
const missingType: LintRule = ({ given, content }) =>
  content.flags.flatMap(({ key, variants }, index) => {
    if (hasType(given, index) || variants.length > 0) return [];
    return {
      path: ['flags', index],
      problem: `Flag ${quoted(key)} has no type, so it is a variant flag. It has no variants: every call, such as getBooleanValue, returns its own default value.`,
      fix: 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.',
    };
  });

function hasType(given: unknown, index: number): boolean {
  return Boolean(memberOf(listOf(given, 'flags')[index], 'type'));
}

const booleanVariants: LintRule = ({ content }) =>
  content.flags.flatMap((flag, index) => {
    if (flag.type !== 'BOOLEAN_FLAG_TYPE') return [];
    const unread = (['variants', 'rules'] as const).filter((name) => flag[name].length > 0);
    return unread.map((name) => ({
      path: ['flags', index, name],
      problem: `The boolean flag ${quoted(flag.key)} has ${name}. Flipt ignores them: only its rollouts and its member enabled decide.`,
      fix: `Remove the ${name}, or write type: VARIANT_FLAG_TYPE.`,
    }));
  });

/** No method of the OpenFeature client returns the text of an attachment. */
const textAttachment: LintRule = ({ content }) =>
  content.flags.flatMap(({ key, type, variants }, index) => {
    if (type !== 'VARIANT_FLAG_TYPE') return [];
    return variants.flatMap(({ key: variant, attachment }, at) => {
      if (typeof attachment !== 'string') return [];
      const isQuoted = parsedJson(attachment) !== undefined;
      const what = isQuoted ? 'JSON in quotes, and so a text' : 'a text that is not JSON';
      return {
        path: ['flags', index, 'variants', at, 'attachment'],
        problem: `The attachment of variant ${quoted(variant)} of flag ${quoted(key)} is ${what}. getObjectValue returns its own default value, with TYPE_MISMATCH.`,
        fix: isQuoted ? 'Remove the quotes around it.' : 'Write a mapping or a list.',
      };
    });
  });

/**
 * Everybody gets one value in spite of rules or rollouts, or nobody a variant. A value that is set directly is meant
 * so, and so are rules that switch the only variant on and off.
 */
const singleValue: LintRule = ({ given, content, semantics }, reaches) =>
  content.flags.flatMap((flag, index) => {
    // The rule missing-type reports such a flag.
    if (flag.variants.length === 0 && !hasType(given, index)) return [];
    const words = aboutValues(flag, stepsOf(flag, reaches, semantics), listOf(given, 'flags')[index]);
    return words === undefined ? [] : { path: ['flags', index], ...words };
  });

type Words = Pick<Problem, 'problem' | 'fix'>;

function aboutValues(flag: CheckedFlag, steps: readonly Step[], given: unknown): Words | undefined {
  const fallback = fallbackOf(flag);
  const [only, ...others] = valuesOf(steps, fallback);
  if (others.length > 0) return undefined;
  if (flag.type === 'BOOLEAN_FLAG_TYPE')
    return steps.length === 0 ? undefined : aboutRollouts(flag, only, given);
  if (only === undefined) return aboutNothing(flag);
  const isSwitch = flag.variants.length === 1 && fallback === undefined;
  return steps.length === 0 || isSwitch ? undefined : aboutRules(flag, only);
}

function valuesOf(steps: readonly Step[], fallback: GivenValue): readonly GivenValue[] {
  const last = steps.findIndex(({ reach }) => reach === 'everybody');
  const reached = last < 0 ? steps : steps.slice(0, last + 1);
  const given = reached.flatMap(({ reach, gives }) => (reach === 'nobody' ? [] : gives));
  return [...new Set(last < 0 ? [...given, fallback] : given)];
}

function aboutRollouts({ key, enabled, rollouts }: CheckedFlag, only: GivenValue, given: unknown): Words {
  const problem = `The rollouts of flag ${quoted(key)} make no difference.`;
  if (only === false) {
    const without = listOf(given, 'rollouts').flatMap((rollout, at) => (hasValue(rollout) ? [] : at + 1));
    const why =
      without.length === 0 ? '' : `: without value, as in ${rolloutWords(without)}, a rollout gives false`;
    const removed = enabled ? 'remove them and write enabled: false' : 'remove them';
    return {
      problem: `${problem} Everybody gets false${why}.`,
      fix: `Write value: true in each rollout that is to give true, or ${removed}.`,
    };
  }
  const isRepeated = rollouts.every((rollout) => rollout?.value === enabled);
  return {
    problem: `${problem} Everybody gets ${String(only)}.`,
    fix: isRepeated
      ? 'Write enabled: false if only the rollouts are to give true, or remove them.'
      : 'Correct the rollouts, or remove them and write enabled: true.',
  };
}

/** Such as `rollouts 1, 2 and 4`. */
function rolloutWords(numbers: readonly number[]): string {
  const last = String(numbers.at(-1));
  return numbers.length === 1 ? `rollout ${last}` : `rollouts ${numbers.slice(0, -1).join(', ')} and ${last}`;
}

/** Flipt v2 omits the value `false` when it saves a file. */
function hasValue(rollout: unknown): boolean {
  return ['segment', 'threshold'].some((kind) => memberOf(memberOf(rollout, kind), 'value') != null);
}

function aboutRules({ key }: CheckedFlag, only: GivenValue): Words {
  return {
    problem: `The rules of flag ${quoted(key)} make no difference. While the flag is enabled, everybody gets ${quoted(String(only))}.`,
    fix: 'Correct them, or make this variant the default and remove them.',
  };
}

function aboutNothing({ key, variants }: CheckedFlag): Words {
  return {
    problem: `Flag ${quoted(key)} gives no variant to anybody. Every call returns its own default value.`,
    fix:
      variants.length === 0
        ? 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.'
        : 'Mark a variant with default: true, or add a rule with distributions.',
  };
}

const unreachableRule: LintRule = ({ content, semantics }, reaches) =>
  content.flags.flatMap((flag, index) => {
    const isRanked = ordersByRank(semantics) && flag.rules.some(({ rank }) => rank > 0);
    const steps = stepsInFrontOf(stepsOf(flag, reaches, semantics));
    return Array.from(steps).flatMap(([step, before]) => {
      // The rule never-matches reports segments that match nobody.
      if (before.length === 0 || step.reach === 'nobody') return [];
      const names = before.map(({ name }) => name).join(' and ');
      const who = before.some(({ reach }) => reach === 'everybody') ? 'everybody' : 'each of its entities';
      return {
        path: ['flags', index, ...step.path],
        problem: `In flag ${quoted(flag.key)}, ${step.name} stands behind ${names}, which already matches ${who}. It never decides.`,
        fix: `${isRanked ? 'Give it a lower rank than' : 'Move it before'} ${names}, or remove it.`,
      };
    });
  });

/** Decimal fractions are rounded. */
const TOLERANCE = 1e-6;

/** A rule without distributions gives the default variant. */
const rolloutSum: LintRule = ({ content, semantics }) =>
  content.flags.flatMap((flag, index) => {
    if (flag.type !== 'VARIANT_FLAG_TYPE') return [];
    return flag.rules.flatMap(({ distributions }, at) => {
      const sum = distributions.reduce((total, { rollout }) => total + rollout, 0);
      if (distributions.length === 0 || Math.abs(sum - 100) < TOLERANCE) return [];
      return {
        path: ['flags', index, 'rules', at, 'distributions'],
        problem: `The percentages of rule ${at + 1} of flag ${quoted(flag.key)} add up to ${Number(sum.toFixed(4))}. Of the rule's entities, Flipt ${semantics} gives ${sharesText(distributions, semantics, flag)}.`,
        fix: 'Write percentages that add up to 100.',
      };
    });
  });

/** Such as `"red" to 60 %, no variant to 40 %`. */
function sharesText(
  distributions: CheckedFlag['rules'][number]['distributions'],
  semantics: Semantics,
  flag: CheckedFlag,
): string {
  const byDefault = fallbackOf(flag);
  const otherwise =
    byDefault === undefined ? 'no variant' : `the default variant ${quoted(String(byDefault))}`;
  const texts = Array.from(
    sharesOf(distributions, semantics),
    ([key, share]) => `${key === undefined ? otherwise : quoted(key)} to ${share} %`,
  );
  return texts.join(', ');
}

/** Some services write fractions of 1. Of a rule's distributions, rollout-sum tells. */
const smallPercentage: LintRule = ({ content }) =>
  content.flags.flatMap(({ key, type, rollouts }, index) => {
    if (type !== 'BOOLEAN_FLAG_TYPE') return [];
    return rollouts.flatMap((rollout, at) => {
      if (rollout?.kind !== 'threshold' || rollout.percentage >= 1) return [];
      if (underThreshold(rollout.percentage) === 'nobody') return [];
      return {
        path: ['flags', index, 'rollouts', at, 'threshold', 'percentage'],
        problem: `The percentage of rollout ${at + 1} of flag ${quoted(key)} is ${rollout.percentage}. It applies to at most 1 % of entities.`,
        fix: `If you mean ${Number((rollout.percentage * 100).toFixed(4))} %, write that number.`,
      };
    });
  });

const unusedSegment: LintRule = ({ content }) => {
  const steps = content.flags.flatMap(({ rules, rollouts }) => [...rules, ...rollouts]);
  const used = new Set(steps.flatMap((step) => (step && 'segmentKeys' in step ? step.segmentKeys : [])));
  return content.segments.flatMap(({ key }, index) => {
    if (used.has(key)) return [];
    return {
      path: ['segments', index],
      problem: `No rule and no rollout uses segment ${quoted(key)}. It decides nothing.`,
      fix: 'Remove it, or name it in a rule or a rollout.',
    };
  });
};

const neverMatches: LintRule = ({ content, segments }, reaches) =>
  content.segments.flatMap(({ key }, index) => {
    const effect =
      reaches.get(key) === 'nobody'
        ? 'The segment matches nobody.'
        : 'The constraint matches nobody: the others of the segment decide.';
    return (segments.get(key)?.constraints ?? []).flatMap((constraint, at) => {
      if (!isImpossible(constraint) || isReported(constraint)) return [];
      const what = `${subjectOf(constraint)} ${constraint.operator} ${quoted(constraint.value)}`;
      return {
        path: ['segments', index, 'constraints', at],
        problem: `Constraint ${at + 1} of segment ${quoted(key)}, ${what}, can never match. ${effect}`,
        fix: fixOf(constraint),
      };
    });
  });

/** By the rules operator-type, unreadable-value and segment-left-out. */
function isReported({ type, operator, value }: Constraint): boolean {
  if (!OPERATORS[type].includes(operator)) return true;
  return value !== '' && !isReadableValue(type, operator, value);
}

function fixOf({ type, operator, value }: Constraint): string {
  if (value === '' && !OPERATORS_WITHOUT_VALUE.includes(operator)) {
    const forNone = OPERATORS[type].includes('empty') ? 'empty' : 'notpresent';
    return `Write a value, or the operator ${forNone} for entities without one.`;
  }
  if (operator !== 'prefix' && operator !== 'suffix') return 'Correct its operator or its value.';
  const where = operator === 'prefix' ? 'beginning' : 'end';
  return `Remove the blanks at the ${where} of its value: the attribute is trimmed before it is compared.`;
}

/* Users write the names in comments and pass them to `--rule`: never change one. */
const RULES: ReadonlyMap<string, LintRule> = new Map([
  ['missing-type', missingType],
  ['rollout-sum', rolloutSum],
  ['small-percentage', smallPercentage],
  ['text-attachment', textAttachment],
  ['boolean-variants', booleanVariants],
  ['unused-segment', unusedSegment],
  ['unreachable-rule', unreachableRule],
  ['never-matches', neverMatches],
  ['single-value', singleValue],
]);

export const LINT_RULES: readonly string[] = [...RULES.keys()];

export function surprising(document: LintedDocument): readonly Problem[] {
  const reaches = new Map(Array.from(document.segments, ([key, segment]) => [key, segmentReach(segment)]));
  return Array.from(RULES, ([rule, find]) =>
    find(document, reaches).map(({ path, ...words }): Problem => {
      const level = rule === 'unused-segment' || isDraft(rule, document.content, path) ? 'info' : 'warning';
      return { path, rule, level, ...words };
    }),
  ).flat();
}

/** A disabled variant flag gives nothing to anybody yet; one without a type may be no draft. */
function isDraft(rule: string, { flags }: CheckedDocument, [list, index]: Problem['path']): boolean {
  const flag = list === 'flags' ? flags[Number(index)] : undefined;
  return rule !== 'missing-type' && flag?.type === 'VARIANT_FLAG_TYPE' && !flag.enabled;
}

export const DIFFERENT = 'evaluated-differently';

/** Only variant flags change with an upgrade although both versions take the file. */
export function evaluatedDifferently(
  { flags }: CheckedDocument,
  from: Semantics,
  to: Semantics,
): readonly Problem[] {
  const found = flags.flatMap((flag, index) => {
    if (flag.type !== 'VARIANT_FLAG_TYPE') return [];
    return [...otherOrder(flag, index, from, to), ...otherShares(flag, index, from, to)];
  });
  return found.map((each) => ({ rule: DIFFERENT, level: 'warning', ...each }));
}

function otherOrder(flag: CheckedFlag, index: number, from: Semantics, to: Semantics): Found[] {
  const orderIn = (semantics: Semantics) =>
    rankedRules(flag.rules, semantics)
      .map((rule) => rule.index + 1)
      .join(', ');
  const [before, after] = [orderIn(from), orderIn(to)];
  if (before === after) return [];
  return [
    {
      path: ['flags', index, 'rules'],
      problem: `The rules of flag ${quoted(flag.key)} apply in another order. Flipt ${from} applies them by their ranks, ${before}; Flipt ${to} ignores ranks: ${after}.`,
      fix: 'Write them in the order of their ranks.',
    },
  ];
}

function otherShares(flag: CheckedFlag, index: number, from: Semantics, to: Semantics): Found[] {
  return flag.rules.flatMap(({ distributions }, at) => {
    if (isSharedEqually(sharesIn(distributions), from, to)) return [];
    const given = (semantics: Semantics) => sharesText(distributions, semantics, flag);
    return {
      path: ['flags', index, 'rules', at, 'distributions'],
      problem: `Rule ${at + 1} of flag ${quoted(flag.key)} divides its entities in another way. Flipt ${from} gives ${given(from)}; Flipt ${to} gives ${given(to)}.`,
      fix: 'Write percentages that add up to 100, as you want them.',
    };
  });
}
