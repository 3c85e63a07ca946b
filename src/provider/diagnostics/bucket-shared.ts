import type { Reporter } from '../../model/events/reporter.js';
import { isSplit, type Ask, type ValueAnswer } from '../../model/answer.js';

/** What `reportingBucketShared` reads from the snapshot. */
type BucketKnowledge = { readonly bucketDecided: (flag: string, answer: ValueAnswer) => boolean };

/**
 * Wraps `ask`, and reports an evaluation without an entity id if a percentage or a distribution decided its value. All
 * evaluations without an entity id share one bucket. Flipt's answer shows only that the percentage of a boolean flag
 * has included the entity. In all other cases, the flag's rules in the snapshot show whether a percentage or a
 * distribution decided the value.
 */
export function reportingBucketShared(
  ask: Ask,
  features: () => BucketKnowledge | undefined,
  { wants, report }: Reporter,
): Ask {
  return (question, ...more) => {
    const coming = ask(question, ...more);
    if (question.entity !== '' || !wants['bucket-shared']) return coming;
    return coming.then((answer) => {
      if (answer.kind === 'failed' || answer.kind === 'missing') return answer;
      const { flag, attributes } = question;
      if (isSplit(answer) || features()?.bucketDecided(flag, answer)) {
        report({ type: 'bucket-shared', flag, attributes: Object.keys(attributes) });
      }
      return answer;
    });
  };
}
