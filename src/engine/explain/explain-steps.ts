import type { KnownAnswer } from '../../model/answer.js';
import type { FlagExplanation, ExplainedStep, StepDetails } from './explanation.js';

/** A step, and the answer that it gives; `undefined` if the step does not apply. */
export interface StepResult {
  readonly step: StepDetails;
  readonly answer: KnownAnswer | undefined;
}

/** The first step that applies decides. */
export function firstToApply(results: readonly StepResult[], otherwise: KnownAnswer): FlagExplanation {
  const deciding = results.findIndex(({ answer }) => answer !== undefined);
  const steps = results.map(({ step }, at): ExplainedStep => {
    if (deciding >= 0 && at > deciding) return { ...step, outcome: 'not-reached' };
    return { ...step, outcome: at === deciding ? 'applied' : 'did-not-apply' };
  });
  const answer = results[deciding]?.answer;
  if (answer === undefined) return { answer: otherwise, decidedBy: { by: 'none' }, steps };
  return { answer, decidedBy: { by: 'step', number: deciding + 1 }, steps };
}

/** The steps of a flag whose answer is decided before the first step. */
export function unreached(results: readonly StepResult[]): readonly ExplainedStep[] {
  return results.map(({ step }) => ({ ...step, outcome: 'not-reached' }));
}
