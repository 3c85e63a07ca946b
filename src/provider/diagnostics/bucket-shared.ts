import type { Reporter } from '../../model/events/reporter.js';
import { isSplit, type Ask, type ValueAnswer } from '../../model/answer.js';

/** The snapshot's features. */
type BucketKnowledge = { readonly bucketDecided: (flag: string, answer: ValueAnswer) => boolean };

/**
 * Reports questions without an entity that a percentage or a distribution decides: they all share one bucket. For a
 * boolean flag, the answer shows that. For a variant flag, only its rules do.
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
