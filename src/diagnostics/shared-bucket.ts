import { isSplit, type Ask } from '../model/answer.js';
import type { Diagnostics, Reporter } from './diagnostics.js';
import type { Question } from '../model/question.js';
import { quoted } from '../text/quote.js';

/**
 * Reports questions without an entity that a percentage or a distribution decides: they all share one bucket. For a
 * boolean flag, the answer shows that. For a variant flag, only the snapshot does, through `bucketDecides`.
 */
export function reportingSharedBuckets(
  ask: Ask,
  bucketDecides: (question: Question) => boolean,
  { wants, report }: Reporter,
): Ask {
  return (question, ...more) => {
    const coming = ask(question, ...more);
    if (question.entity !== '' || !wants['bucket-shared']) return coming;
    return coming.then((answer) => {
      if (isSplit(answer) || (answer.kind !== 'failed' && bucketDecides(question))) {
        const { flag, attributes } = question;
        report({ type: 'bucket-shared', flag, attributes: Object.keys(attributes) });
      }
      return answer;
    });
  };
}

/** Attributes that often hold the value for the targetingKey, the likeliest first. */
const LIKELY = ['userId', 'user_id', 'id', 'user', 'email'];

/** Warns once, and then stops listening. */
export function watchSharedBuckets(
  { listen }: Pick<Diagnostics, 'listen'>,
  warn: (message: string) => void,
): void {
  const end = listen('bucket-shared', ({ flag, attributes }) => {
    end();
    const likely = LIKELY.filter((name) => attributes.includes(name)).map(quoted);
    const advice =
      likely.length === 0 ? '' : `; the context has ${likely.join(', ')}: should that be the targetingKey?`;
    warn(
      `flag ${quoted(flag)} depends on a percentage, but the context has no targetingKey, ` +
        `so all such calls get the same value${advice}`,
    );
  });
}
