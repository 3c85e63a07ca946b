import { quoted } from '../../text/describe.js';
import type { CheckedFlag } from '../../features/document-schema.js';
import type { LintRule, Sentences } from '../finding.js';
import { hasType } from './missing-type.js';
import { fallbackOf, stepsOf, type GivenValue, type Step } from '../rule-order.js';

/**
 * A flag whose rules or rollouts all lead to one value, or that has no value to give. One without rules and rollouts is
 * a plain switch or a setting. So is a variant flag with one variant for everybody: its `enabled` switches it.
 */
export const singleValue: LintRule = (document) =>
  document.content.flags.flatMap((flag, index) => {
    // The rule missing-type has these.
    if (flag.variants.length === 0 && !hasType(document.given, index)) return [];
    const words = wordsAbout(flag, stepsOf(flag, document));
    return words === undefined ? [] : { path: ['flags', index], ...words };
  });

function wordsAbout(flag: CheckedFlag, steps: readonly Step[]): Sentences | undefined {
  const fallback = fallbackOf(flag);
  const [only, ...others] = valuesOf(steps, fallback);
  if (others.length > 0) return undefined;
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return steps.length === 0 ? undefined : aboutRollouts(flag, only);
  if (only === undefined) return aboutNothing(flag);
  const isSwitch = flag.variants.length === 1 && fallback === undefined;
  return steps.length === 0 || isSwitch ? undefined : aboutRules(flag, only);
}

/** All values that a flag may give while it is enabled. */
function valuesOf(steps: readonly Step[], fallback: GivenValue): readonly GivenValue[] {
  const last = steps.findIndex(({ reach }) => reach === 'everybody');
  const reached = last < 0 ? steps : steps.slice(0, last + 1);
  const given = reached.flatMap(({ reach, gives }) => (reach === 'nobody' ? [] : gives));
  return [...new Set(last < 0 ? [...given, fallback] : given)];
}

function aboutRollouts({ key, enabled, rollouts }: CheckedFlag, only: GivenValue): Sentences {
  const isRepeated = rollouts.every(({ value }) => value === enabled);
  return {
    problem: `The rollouts of flag ${quoted(key)} make no difference.`,
    effect: `Everybody gets ${String(only)}.`,
    fix: isRepeated
      ? `Write enabled: ${String(!enabled)} if only the rollouts are to give ${String(enabled)}, or remove them.`
      : `Correct the rollouts, or remove them and write enabled: ${String(only)}.`,
  };
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
