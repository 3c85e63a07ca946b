import type { KnownAnswer } from '../../model/answer.js';
import type { Question } from '../../model/question.js';
import type { CompiledFeatures } from '../compiled-features.js';
import { attributeReader } from '../constraints.js';
import { explainBooleanFlag } from './explain-boolean-flag.js';
import { explainVariantFlag } from './explain-variant-flag.js';
import type { ExplainedAnswer, Explanation, FlagExplanation } from './explanation.js';

/**
 * Explains the answer to a question: each rule or rollout, what it compared, and what decided. It goes through the flag
 * step by step and parses everything again, so it is for tools; use `evaluate` for answers. If `features` is
 * `undefined`, the namespace does not exist. Never throws.
 */
export function explain(features: CompiledFeatures | undefined, question: Question): Explanation {
  const { namespace, flag, entity } = question;
  const unreadable = features?.features.unreadable?.get(flag);
  if (unreadable !== undefined) {
    const answer = { kind: 'unreadable', reason: unreadable.reason } as const;
    return { namespace, flag, entity, answer, decidedBy: { by: 'unreadable' }, steps: [] };
  }
  const { answer, ...why } = explainFlag(features, question);
  return { namespace, flag, entity, answer: explainedAnswer(answer), ...why };
}

/** Leaves out what only an answer over HTTP has. */
export function explainedAnswer(answer: KnownAnswer): ExplainedAnswer {
  if (answer.kind === 'missing') return answer;
  if (answer.kind === 'boolean') {
    const { kind, enabled, reason, segmentKeys = [] } = answer;
    return { kind, enabled, reason, segmentKeys };
  }
  const { kind, match, variant, attachment, reason, segmentKeys } = answer;
  return { kind, match, variant, attachment, reason, segmentKeys };
}

function explainFlag(
  compiled: CompiledFeatures | undefined,
  { flag: key, entity, attributes }: Question,
): FlagExplanation {
  const flag = compiled?.features.flags.get(key);
  if (compiled === undefined || flag === undefined) {
    return { answer: { kind: 'missing' }, decidedBy: { by: 'missing' }, steps: [] };
  }
  const asked = { entity, read: attributeReader(attributes) };
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? explainBooleanFlag(flag, compiled.features, asked)
    : explainVariantFlag(flag, compiled.features, compiled.semantics, asked);
}
