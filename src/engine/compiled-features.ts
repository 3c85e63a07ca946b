import { compileFlag, type Evaluate } from './compiled-flag.js';
import { boundsOf, isUndivided, underThreshold } from './buckets.js';
import { entityOf } from './evaluated-entity.js';
import type { FeatureLookup, Features, Flag, Rollout, Rule, SegmentChoice, Semantics } from './features.js';
import { neededSegments, rulesInForce, sharesIn } from './parts-in-force.js';
import { MISSING, type KnownAnswer, type Question, type ValueAnswer } from '../model/answer.js';
import { PRESENCE_OPERATORS } from './constraint-match.js';
import { compileSegment, type FindSegment } from './segment-match.js';

/** A flag for which everything that does not depend on the question is prepared. */
export interface CompiledFlag {
  readonly evaluate: Evaluate;
}

/** A namespace's features, prepared for evaluation. Each flag is compiled when it is first asked for. */
export type CompiledFeatures = ReturnType<typeof compileFeatures>;

/**
 * Prepares features for evaluation. The call is cheap, because each flag is compiled only when the first question about
 * it comes.
 */
export function compileFeatures(features: FeatureLookup, semantics: Semantics) {
  const compiled = new Map<string, CompiledFlag>();
  const segments = new Map<string, ReturnType<FindSegment>>();

  const find: FindSegment = (key) => {
    const segment = features.segments.get(key);
    const found = segments.get(key) ?? (segment && compileSegment(segment));
    if (found !== undefined) segments.set(key, found);
    return found;
  };

  const compile = (key: string): CompiledFlag | undefined => {
    const flag = features.flags.get(key);
    if (flag === undefined) return undefined;
    const prepared = { evaluate: compileFlag(flag, find, semantics) };
    compiled.set(key, prepared);
    return prepared;
  };

  return {
    features,
    semantics,
    /** Returns the compiled flag, or `undefined` if there is no such flag. */
    flag: (key: string): CompiledFlag | undefined => compiled.get(key) ?? compile(key),
    /** Returns whether a flag gave this answer because of the entity's bucket. */
    bucketDecided(key: string, answer: ValueAnswer): boolean {
      const flag = features.flags.get(key);
      return flag !== undefined && bucketDecided(flag, answer, features, semantics);
    },
    /**
     * Returns the attributes that a flag compares with values, without repetitions, or `undefined` if there is no such
     * flag.
     */
    comparedAttributes(key: string): readonly string[] | undefined {
      const flag = features.flags.get(key);
      return flag && comparedAttributes(flag, features);
    },
    /** The flags that have been compiled until now, by their keys. */
    compiled,
  };
}

/** Returns the rules or rollouts of a flag that evaluation tries. */
function stepsOf(flag: Flag): readonly (Rule | Rollout)[] {
  return flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : rulesInForce(flag);
}

function comparedAttributes(flag: Flag, { segments }: FeatureLookup): readonly string[] {
  const names = new Set<string>();
  for (const step of stepsOf(flag)) {
    for (const key of 'segmentKeys' in step ? step.segmentKeys : []) {
      for (const { type, property, operator } of segments.get(key)?.constraints ?? [])
        if (type !== 'ENTITY_ID_COMPARISON_TYPE' && !PRESENCE_OPERATORS.includes(operator))
          names.add(property);
    }
  }
  return [...names];
}

/**
 * Returns whether the flag gave this answer because of the entity's bucket. The bucket has decided if evaluation
 * reached a threshold, or a rule that divides its entities among variants or gives its variant to only some of them.
 * The function finds the rule that gave the answer by the segments that the answer names.
 */
function bucketDecided(flag: Flag, answer: ValueAnswer, { segments }: FeatureLookup, semantics: Semantics) {
  const matching = new Set(answer.segmentKeys);
  // The first rule whose segments match has given the answer, and no rule after it was reached. So the rule that gave
  // the answer is the first one whose segments are all named by the answer.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) => {
    // The answer names segments by their own keys, which might differ from the names under which the features hold
    // them.
    const { length } = chosen.filter((name) => matching.has(segments.get(name)?.key ?? name));
    const least = { one: 1, all: chosen.length, none: 0 };
    return length >= least[neededSegments(segmentOperator)];
  };
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    const shares = sharesIn(rulesInForce(flag).find(isReached)?.distributions ?? []);
    return !isUndivided(boundsOf(shares, semantics));
  }
  // The bucket has decided if a threshold gave the answer, and also if a threshold let evaluation go on. A threshold of
  // 0 is passed over, because it includes nobody.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : underThreshold(rollout.percentage) !== 'nobody',
  );
  return reached?.kind === 'threshold' && underThreshold(reached.percentage) === 'some';
}

/**
 * Answers a question from its namespace's features exactly as the service does. `features` is `undefined` if the
 * namespace does not exist. Never throws.
 */
export function evaluate(features: CompiledFeatures | undefined, question: Question): KnownAnswer {
  const compiled = features?.flag(question.flag);
  return compiled === undefined ? MISSING : compiled.evaluate(entityOf(question));
}

/** Answers a question from its namespace's features; `undefined` stands for a namespace that does not exist. */
export type Evaluator = (features: Features | undefined, question: Question) => KnownAnswer;

/**
 * Returns an evaluator that compiles features when they are first used. The evaluator keeps what it has compiled as
 * long as somebody keeps the features. Features must not be modified: changed features must be a new object.
 */
export function evaluator(semantics: Semantics): Evaluator {
  const compiled = new WeakMap<Features, CompiledFeatures>();
  const compiledOnce = (features: Features) => {
    const compiledNow = compiled.get(features) ?? compileFeatures(features, semantics);
    compiled.set(features, compiledNow);
    return compiledNow;
  };
  return (features, question) => evaluate(features && compiledOnce(features), question);
}
