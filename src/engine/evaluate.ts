import type { KnownAnswer } from '../model/answer.js';
import type { Question } from '../model/question.js';
import { evaluateBoolean } from './boolean-flag.js';
import type { Features, Semantics } from './features.js';
import { evaluateVariant } from './variant-flag.js';

/**
 * Answers a question from its namespace's features as the service of that version does, to the last bit.
 * No features: the namespace does not exist. Never throws.
 */
export function evaluate(
  features: Features | undefined,
  question: Question,
  semantics: Semantics,
): KnownAnswer {
  const flag = features?.flags.get(question.flag);
  if (!features || !flag) return { kind: 'missing' };
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, features, question)
    : evaluateVariant(flag, features, question, semantics);
}
