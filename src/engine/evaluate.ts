import type { KnownAnswer, MissingAnswer } from '../model/answer.js';
import type { Question } from '../model/question.js';
import { compileFeatures, type CompiledFeatures } from './compiled-features.js';
import { attributeReader } from './constraints.js';
import type { Features, Semantics } from './features.js';

const MISSING: MissingAnswer = { kind: 'missing' };

/**
 * Answers a question from its namespace's features as the service does, to the last bit.
 * No features: the namespace does not exist. Never throws.
 */
export function evaluate(
  features: CompiledFeatures | undefined,
  { flag, entity, attributes }: Question,
): KnownAnswer {
  const compiled = features?.flag(flag);
  return compiled === undefined ? MISSING : compiled.evaluate(entity, attributeReader(attributes));
}

/** Answers a question from its namespace's features. */
export type Evaluator = (features: Features | undefined, question: Question) => KnownAnswer;

/**
 * Evaluates from features as they are, and keeps them compiled for as long as somebody else keeps them.
 * They must not be modified: changed features are new ones.
 */
export function evaluator(semantics: Semantics): Evaluator {
  const compiled = new WeakMap<Features, CompiledFeatures>();
  const compiledOnce = (features: Features) => {
    const known = compiled.get(features) ?? compileFeatures(features, semantics);
    compiled.set(features, known);
    return known;
  };
  return (features, question) => evaluate(features && compiledOnce(features), question);
}
