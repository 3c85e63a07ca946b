import type { ValueAnswer } from '../model/answer.js';
import type { EvaluatedEntity } from './evaluated-entity.js';

/** A flag's answer about an entity. Throws only what reading its attributes throws. */
export type Evaluate<Answer = ValueAnswer> = (entity: EvaluatedEntity) => Answer;

/** The answer of the first rule or rollout that gives one, else `otherwise`. */
export function firstMatch<Answer>(
  rules: readonly Evaluate<Answer | undefined>[],
  otherwise: Answer,
): Evaluate<Answer> {
  return (entity) => {
    for (const rule of rules) {
      const answer = rule(entity);
      if (answer !== undefined) return answer;
    }
    return otherwise;
  };
}

/** Prepares the answer for this list of segments. For any other list, the answer is made on each call. */
export function preparedFor<Answer>(
  segmentKeys: readonly string[],
  answer: (segmentKeys: readonly string[]) => Answer,
): (segmentKeys: readonly string[]) => Answer {
  const prepared = answer(segmentKeys);
  return (matching) => (matching === segmentKeys ? prepared : answer(matching));
}
