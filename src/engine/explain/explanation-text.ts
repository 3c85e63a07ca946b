import { quoted } from '../../text/quote.js';
import type { ExplainedAnswer, ExplainedDecision, ExplainedStep, Explanation } from './explanation.js';
import { stepLines } from './step-text.js';

/** An explanation as plain text, one line for each comparison. Text from outside is quoted. */
export function explanationText(explanation: Explanation): string {
  const { namespace, flag, entity, answer, steps } = explanation;
  return [
    `Flag ${quoted(flag)} in namespace ${quoted(namespace)} for entity ${quoted(entity)}`,
    `Answer: ${answerText(answer)}`,
    `Decided by: ${decisionText(explanation)}`,
    ...steps.flatMap((step, at) => stepLines(step, at + 1)),
  ].join('\n');
}

function answerText(answer: ExplainedAnswer): string {
  switch (answer.kind) {
    case 'missing':
      return 'flag not found';
    case 'unreadable':
      return `known only to Flipt, because this version of the package cannot read ${answer.reason}`;
    case 'boolean':
      return `${answer.enabled}, reason ${answer.reason}`;
    case 'variant': {
      const variant = answer.variant === '' ? 'no variant' : `variant ${quoted(answer.variant)}`;
      return `${variant}, reason ${answer.reason}`;
    }
  }
}

function decisionText({ decidedBy, answer, steps }: Explanation): string {
  switch (decidedBy.by) {
    case 'missing':
      return 'there is no such flag';
    case 'unreadable':
      return 'what cannot be read';
    case 'disabled':
      return 'the flag is disabled';
    case 'none':
      return noneText(answer, steps);
    case 'step':
      return stepText(decidedBy, steps);
  }
}

function noneText(answer: ExplainedAnswer, steps: readonly ExplainedStep[]): string {
  const none = (kind: string) => (steps.length === 0 ? `the flag has no ${kind}s` : `no ${kind} applied`);
  if (answer.kind === 'boolean') return `${none('rollout')}, so the flag's own state counts`;
  const hasDefault = answer.kind === 'variant' && answer.variant !== '';
  return hasDefault
    ? `${none('rule')}, so the default variant counts`
    : `${none('rule')}, and there is no default variant`;
}

function stepText(
  { number }: Extract<ExplainedDecision, { by: 'step' }>,
  steps: readonly ExplainedStep[],
): string {
  const step = steps[number - 1];
  if (step?.kind !== 'rule') return `rollout ${number}`;
  if (step.sharing === undefined) return `rule ${number}, which distributes no variant`;
  return step.sharing.chosen === undefined
    ? `rule ${number}, whose distributions leave the entity out`
    : `rule ${number}`;
}
