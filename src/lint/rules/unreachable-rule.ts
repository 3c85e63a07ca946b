import { quoted } from '../../text/describe.js';
import type { LintRule } from '../finding.js';
import { stepsInFrontOf, stepsOf } from '../rule-order.js';

/** A rule or rollout behind one that applies to everybody, or to all of its entities. */
export const unreachableRule: LintRule = (document) =>
  document.content.flags.flatMap((flag, index) => {
    const isRanked = document.semantics === 'v1' && flag.rules.some(({ rank }) => rank > 0);
    const steps = stepsInFrontOf(stepsOf(flag, document));
    return Array.from(steps).flatMap(([step, before]) => {
      // The rule never-matches has the others.
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
