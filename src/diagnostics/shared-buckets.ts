import { isSplit, type Ask, type ValueAnswer } from '../model/answer.js';
import { quoted } from '../text/describe.js';
import type { Diagnostics, Log, Reporter } from './diagnostics.js';

/** The snapshot's features. */
type BucketKnowledge = { readonly bucketDecided: (flag: string, answer: ValueAnswer) => boolean };

/**
 * Reports questions without an entity that a percentage or a distribution decides: they all share one bucket. For a
 * boolean flag, the answer shows that. For a variant flag, only its rules do.
 */
export function reportingSharedBuckets(
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

/** Attributes that often hold the value for the targetingKey, the likeliest first. */
const LIKELY = ['userId', 'user_id', 'id', 'user', 'email'];

/** Warns once, and then stops listening. */
export function logSharedBuckets({ listen }: Pick<Diagnostics, 'listen'>, logger: Log<'warn'>): void {
  const end = listen('bucket-shared', ({ flag, attributes }) => {
    end();
    const likely = LIKELY.filter((name) => attributes.includes(name)).map(quoted);
    const advice =
      likely.length === 0 ? '' : `; the context has ${likely.join(', ')}: should that be the targetingKey?`;
    logger.warn(
      `flag ${quoted(flag)} depends on a percentage, but the context has no targetingKey, ` +
        `so all such calls get the same value${advice}`,
    );
  });
}
