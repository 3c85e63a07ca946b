import { quoted } from '../../text/describe.js';
import type { CheckedFlag } from '../../features/document-schema.js';
import type { LintRule } from '../finding.js';

/** A segment that no rule and no rollout names. */
export const unusedSegment: LintRule = ({ content }) => {
  const used = new Set(content.flags.flatMap(segmentKeysOf));
  return content.segments.flatMap(({ key }, index) => {
    if (used.has(key)) return [];
    return {
      path: ['segments', index],
      problem: `No rule and no rollout uses segment ${quoted(key)}.`,
      effect: 'It decides nothing.',
      fix: 'Remove it, or name it in a rule or a rollout.',
    };
  });
};

function segmentKeysOf({ rules, rollouts }: CheckedFlag): readonly string[] {
  return [
    ...rules.flatMap(({ segmentKeys }) => segmentKeys),
    ...rollouts.flatMap((rollout) => (rollout.kind === 'segment' ? rollout.segmentKeys : [])),
  ];
}
