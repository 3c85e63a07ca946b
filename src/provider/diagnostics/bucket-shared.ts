import { unlessItThrows } from '../../base/text/describe.js';
import type { CompiledFeatures } from '../../engine/compile.js';
import { entityOf, type EvaluatedEntity } from '../../engine/entity.js';
import { isBucketDecisive } from '../../engine/explain.js';
import type { Reporter } from '../../model/events/reporter.js';
import { isSplit, type Ask } from '../../model/answer.js';

/** Whether a percentage decided the value of a flag, as far as the snapshot says. */
export function bucketDecides(features: CompiledFeatures, flag: string, entity: EvaluatedEntity): boolean {
  // An explanation reads every attribute, also one that evaluation did not need and that cannot be read.
  return unlessItThrows(() => isBucketDecisive(features, flag, entity)) ?? false;
}

/** Reports `bucket-shared` when a percentage decided Flipt's answer to a question without an entity id. */
export function reportingBucketShared(
  ask: Ask,
  features: () => CompiledFeatures | undefined,
  { wants, report }: Reporter,
): Ask {
  return (question, until) => {
    const coming = ask(question, until);
    if (question.entity !== '' || !wants['bucket-shared']) return coming;
    return coming.then((answer) => {
      if (answer.kind === 'failed' || answer.kind === 'missing') return answer;
      const { flag, attributes } = question;
      const known = features();
      if (isSplit(answer) || (known !== undefined && bucketDecides(known, flag, entityOf(question)))) {
        report({ type: 'bucket-shared', flag, attributes: Object.keys(attributes) });
      }
      return answer;
    });
  };
}
