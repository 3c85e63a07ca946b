import { quoted } from '../../text/describe.js';
import type { LintRule } from '../finding.js';

/** Variants and rules of a boolean flag, which evaluation does not read. */
export const booleanVariants: LintRule = ({ content }) =>
  content.flags.flatMap((flag, index) => {
    if (flag.type !== 'BOOLEAN_FLAG_TYPE') return [];
    const unread = (['variants', 'rules'] as const).filter((name) => flag[name].length > 0);
    return unread.map((name) => ({
      path: ['flags', index, name],
      problem: `The boolean flag ${quoted(flag.key)} has ${name}.`,
      effect: 'They have no effect: its rollouts and enabled alone decide.',
      fix: `Remove the ${name}, or write type: VARIANT_FLAG_TYPE.`,
    }));
  });
