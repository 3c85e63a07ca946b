import type { ValueAnswer } from '../model/answer.js';
import type { ReadAttribute } from './constraint-match.js';

/** A flag's answer about an entity with these attributes. Throws only what `read` throws. */
export type Evaluate<Answer = ValueAnswer> = (entity: string, read: ReadAttribute) => Answer;

/** The answer of the first rule or rollout that gives one, else `otherwise`. */
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

/** Prepares the answer for this list of segments. For any other list, the answer is made on each call. */
export function preparedFor<Answer>(
  segmentKeys: readonly string[],
  answer: (segmentKeys: readonly string[]) => Answer,
): (segmentKeys: readonly string[]) => Answer {
  const prepared = answer(segmentKeys);
  return (matching) => (matching === segmentKeys ? prepared : answer(matching));
}
