import { compileFlag, type Evaluate } from './compiled-flag.js';
import { boundsOf, isUndivided, underThreshold } from './buckets.js';
import { entityOf } from './evaluated-entity.js';
import type { FeatureLookup, Features, Flag, Rollout, Rule, SegmentChoice, Semantics } from './features.js';
import { neededSegments, rulesInForce, sharesIn } from './parts-in-force.js';
import { MISSING, type KnownAnswer, type Question, type ValueAnswer } from '../model/answer.js';
import { PRESENCE_OPERATORS } from './constraint-match.js';
import { compileSegment, type FindSegment } from './segment-match.js';

/** A flag that is prepared for evaluation. */
export interface CompiledFlag {
  readonly evaluate: Evaluate;
}

/** The flags and segments of a namespace, prepared for evaluation. Each flag is compiled when it is first evaluated. */
export type CompiledFeatures = ReturnType<typeof compileFeatures>;

/**
 * Prepares the flags and segments of a namespace for evaluation. A call of `compileFeatures` is cheap, because each
 * flag is compiled only when it is first evaluated.
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
    /**
     * Returns whether a flag gave this answer because of a percentage: the shares of a rule, or the percentage of a
     * threshold rollout.
     */
    bucketDecided(key: string, answer: ValueAnswer): boolean {
      const flag = features.flags.get(key);
      return flag !== undefined && bucketDecided(flag, answer, features, semantics);
    },
    /**
     * Returns the names of the attributes whose values an evaluation of the flag can compare, each name once. The
     * result leaves out attributes of which constraints only test the presence. Returns `undefined` if there is no such
     * flag.
     */
    comparedAttributes(key: string): readonly string[] | undefined {
      const flag = features.flags.get(key);
      return flag && comparedAttributes(flag, features);
    },
    /** The flags that have been compiled so far, by their keys. */
    compiled,
  };
}

/**
 * Returns the rules or rollouts that an evaluation of the flag can try. For a disabled variant flag, the list is empty.
 */
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
 * Returns whether a percentage decided the answer. A percentage decides if the rule that gives the answer divides its
 * entities, or if the evaluation reaches a threshold rollout that applies only to some entities. An answer does not
 * name the rule or rollout that gave the answer, so the function searches for that rule or rollout.
 */
function bucketDecided(flag: Flag, answer: ValueAnswer, { segments }: FeatureLookup, semantics: Semantics) {
  const matching = new Set(answer.segmentKeys);
  // Evaluation tries no more rules or rollouts after one whose segments match, and the answer names the segments that
  // match. Because evaluation stops at a match, the first rule or rollout for which the answer names enough segments is
  // the one that gave the answer.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) => {
    // An answer contains the keys of segments, and the key of a segment can differ from the name under which `segments`
    // holds the segment.
    const { length } = chosen.filter((name) => matching.has(segments.get(name)?.key ?? name));
    const least = { one: 1, all: chosen.length, none: 0 };
    return length >= least[neededSegments(segmentOperator)];
  };
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    const shares = sharesIn(rulesInForce(flag).find(isReached)?.distributions ?? []);
    return !isUndivided(boundsOf(shares, semantics));
  }
  // A threshold decides if it gives the answer, and also if it excludes the entity, so that a later rollout gives the
  // answer. The search skips a threshold of 0, because a threshold of 0 excludes every entity.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : underThreshold(rollout.percentage) !== 'nobody',
  );
  return reached?.kind === 'threshold' && underThreshold(reached.percentage) === 'some';
}

/**
 * Evaluates a flag for an entity as Flipt does. `features` is `undefined` if the namespace does not exist. For a flag
 * that this version of the package cannot evaluate, the answer is that there is no such flag. The function `evaluate`
 * never throws.
 */
export function evaluate(features: CompiledFeatures | undefined, question: Question): KnownAnswer {
  const compiled = features?.flag(question.flag);
  return compiled === undefined ? MISSING : compiled.evaluate(entityOf(question));
}

/** Evaluates a flag for an entity. The argument `features` is `undefined` if the namespace does not exist. */
export type Evaluator = (features: Features | undefined, question: Question) => KnownAnswer;

/**
 * Returns a function that evaluates flags, and that compiles each flag when it first evaluates the flag. The compiled
 * flags stay in memory only as long as the `Features` object to which they belong. Never modify a `Features` object
 * after an evaluation: pass a new object instead, because the returned function does not notice changes in an old
 * object.
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
