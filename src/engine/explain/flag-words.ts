import { quoted } from '../../text/quote.js';
import type { Distribution, Features, Flag, Segment, SegmentChoice, VariantFlag } from '../features.js';
import { comparisonText } from './constraint-text.js';
import { matchTypeText, operatorText } from './step-text.js';

/** A flag's rules or rollouts in words, for any user. Text from outside is quoted. */
export interface FlagWords {
  readonly steps: readonly StepWords[];
  /** The answer if no step applies. */
  readonly otherwise: string;
}

export interface StepWords {
  readonly text: string;
  readonly segments: readonly SegmentWords[];
}

export interface SegmentWords {
  readonly text: string;
  readonly constraints: readonly string[];
}

export function flagWords(flag: Flag, { segments }: Features): FlagWords {
  const wordsOf = ({ segmentKeys }: SegmentChoice) =>
    segmentKeys.map((key) => segmentWords(key, segments.get(key)));
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const steps = flag.rollouts.map((rollout, at): StepWords => {
      const title = `Rollout ${at + 1}: ${rollout.value}`;
      if (rollout.kind === 'threshold') {
        return { text: `${title} for ${rollout.percentage} % of entities`, segments: [] };
      }
      return { text: `${title}; ${choiceText(rollout)}`, segments: wordsOf(rollout) };
    });
    return { steps, otherwise: `Otherwise: ${flag.enabled}` };
  }
  const steps = flag.rules.map((rule, at) => {
    const shares = rule.distributions.filter(({ rollout }) => rollout > 0);
    const given =
      shares.length === 0 ? 'no variant' : shares.map((share) => shareText(share, flag)).join(', ');
    return { text: `Rule ${at + 1}: ${given}; ${choiceText(rule)}`, segments: wordsOf(rule) };
  });
  return { steps, otherwise: otherwiseText(flag) };
}

function choiceText({ segmentOperator, segmentKeys }: SegmentChoice): string {
  return operatorText(segmentOperator, segmentKeys.length);
}

function shareText({ variantId, rollout }: Distribution, { variants }: VariantFlag): string {
  const variant = variants.get(variantId)?.key;
  return `${rollout} % ${variant === undefined ? 'the default variant' : `variant ${quoted(variant)}`}`;
}

function otherwiseText({ enabled, defaultVariantId, variants }: VariantFlag): string {
  const variant = defaultVariantId === undefined ? undefined : variants.get(defaultVariantId)?.key;
  const given = variant === undefined ? 'no variant' : `variant ${quoted(variant)}`;
  return enabled ? `Otherwise: ${given}` : `The flag is disabled: no rule is evaluated, ${given}`;
}

function segmentWords(key: string, segment: Segment | undefined): SegmentWords {
  const { matchType, constraints = [] } = segment ?? {};
  return {
    text: `Segment ${quoted(key)}: ${matchTypeText(matchType, constraints.length)}`,
    constraints: constraints.map(comparisonText),
  };
}
