import type { KnownAnswer, MissingAnswer, Question } from '../model/answer.js';
import { compileFeatures, type CompiledFeatures } from './compiled-features.js';
import { entityOf } from './evaluated-entity.js';
import type { Features, Semantics } from './features.js';

const MISSING: MissingAnswer = { kind: 'missing' };

/**
 * Answers a question from its namespace's features exactly as the service does. If `features` is `undefined`, the
 * namespace does not exist. Never throws.
 */
export function evaluate(features: CompiledFeatures | undefined, question: Question): KnownAnswer {
  const compiled = features?.flag(question.flag);
  return compiled === undefined ? MISSING : compiled.evaluate(entityOf(question));
}

/** Answers a question from its namespace's features. */
export type Evaluator = (features: Features | undefined, question: Question) => KnownAnswer;

/**
 * Compiles features when they are first used, and keeps the result as long as somebody keeps the features. They must
 * not be modified: changed features must be a new object.
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
