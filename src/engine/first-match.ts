import type { BooleanAnswer, VariantAnswer } from '../model/answer.js';
import type { ReadAttribute } from './constraints.js';
import type { Steps } from './stepwise.js';

/** A flag's answer about an entity with these attributes. Throws only what `read` throws. */
export type Evaluate<Answer = VariantAnswer | BooleanAnswer> = (
  entity: string,
  read: ReadAttribute,
) => Answer;

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

/** Prepares each rule or rollout, in steps. */
export function* compiledEach<Part, Compiled>(
  parts: readonly Part[],
  compile: (part: Part) => Steps<Compiled>,
): Steps<Compiled[]> {
  const compiled: Compiled[] = [];
  for (const part of parts) {
    compiled.push(yield* compile(part));
    yield;
  }
  return compiled;
}

/** Prepares the answer for this list of segments. For any other list, the answer is made on each call. */
export function preparedFor<Answer>(
  segmentKeys: readonly string[],
  answer: (segmentKeys: readonly string[]) => Answer,
): (segmentKeys: readonly string[]) => Answer {
  const prepared = answer(segmentKeys);
  return (matching) => (matching === segmentKeys ? prepared : answer(matching));
}
