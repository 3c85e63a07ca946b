import type { Reporter } from '../../model/events/reporter.js';
import { isSplit, type Ask, type ValueAnswer } from '../../model/answer.js';

/** The part of the snapshot's features that is needed here. */
type BucketKnowledge = { readonly bucketDecided: (flag: string, answer: ValueAnswer) => boolean };

/**
 * Wraps `ask` with a report of questions that a percentage or a distribution decides, but that have no entity. All such
 * questions share one bucket. The answer for a boolean flag shows whether a percentage decided it, but for a variant
 * flag, only the flag's rules show that.
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
