import type { BooleanAnswer, VariantAnswer } from '../model/answer.js';
import type { ReadAttribute } from './constraints.js';

/** A flag's answer about an entity with these attributes. Throws only what `read` throws. */
export type Evaluate<Answer = VariantAnswer | BooleanAnswer> = (
  entity: string,
  read: ReadAttribute,
) => Answer;

/** The first answer among rules or rollouts in their order, else the last resort. */
export function firstMatch<Answer>(
  rules: readonly Evaluate<Answer | undefined>[],
  otherwise: Answer,
): Evaluate<Answer> {
  return (entity, read) => {
    for (const rule of rules) {
      const answer = rule(entity, read);
      if (answer !== undefined) return answer;
    }
    return otherwise;
  };
}

/** Prepares the answer for one list of segments; for any other one the answer is made when it is asked for. */
export function preparedFor<Answer>(
  segmentKeys: readonly string[],
  answer: (segmentKeys: readonly string[]) => Answer,
): (segmentKeys: readonly string[]) => Answer {
  const prepared = answer(segmentKeys);
  return (matching) => (matching === segmentKeys ? prepared : answer(matching));
}
