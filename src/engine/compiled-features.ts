import { compileFlag, type Evaluate } from './compiled-flag.js';
import { boundsOf, isUndivided, underThreshold } from './buckets.js';
import { entityOf } from './evaluated-entity.js';
import type { Features, Flag, Rollout, Rule, SegmentChoice, Semantics } from './features.js';
import { neededSegments, rulesInForce, sharesIn } from './parts-in-force.js';
import { MISSING, type KnownAnswer, type Question, type ValueAnswer } from '../model/answer.js';
import { atOnce, type Steps } from '../base/time/pausable-steps.js';
import { PRESENCE_OPERATORS } from './constraint-match.js';
import { compileSegment, type FindSegment } from './segment-match.js';

/** A flag, with everything prepared that does not depend on the question. */
export interface CompiledFlag {
  readonly evaluate: Evaluate;
}

/** A namespace's features, prepared for evaluation. Each flag is compiled when it is first asked for. */
export type CompiledFeatures = ReturnType<typeof compileFeatures>;

/**
 * Prepares features. The call is cheap: each flag is compiled when the first question about it comes. `known`: flags
 * that were compiled before and have not changed since. `read` is called before a flag is compiled, so that the caller
 * can add the flag to the features.
 */
export function compileFeatures(
  features: Features,
  semantics: Semantics,
  known: Iterable<readonly [key: string, flag: CompiledFlag]> = [],
  read: (key: string) => void = () => undefined,
) {
  const compiled = new Map(known);
  const segments = new Map<string, ReturnType<FindSegment>>();

  const find: FindSegment = (key) => {
    const segment = features.segments.get(key);
    const found = segments.get(key) ?? (segment && compileSegment(segment));
    if (found !== undefined) segments.set(key, found);
    return found;
  };

  function* compile(key: string): Steps<CompiledFlag | undefined> {
    read(key);
    const flag = features.flags.get(key);
    if (flag === undefined) return undefined;
    const prepared = { evaluate: yield* compileFlag(flag, find, semantics) };
    compiled.set(key, prepared);
    return prepared;
  }

  return {
    features,
    semantics,
    /** `undefined` if there is no such flag. */
    flag: (key: string): CompiledFlag | undefined => compiled.get(key) ?? atOnce(compile(key)),
    /** Whether the entity's bucket decided this answer of a flag. */
    bucketDecided(key: string, answer: ValueAnswer): boolean {
      read(key);
      const flag = features.flags.get(key);
      return flag !== undefined && bucketDecided(flag, answer, features, semantics);
    },
    /** The attributes that a flag compares with values, each once; `undefined` if there is no such flag. */
    comparedAttributes(key: string): readonly string[] | undefined {
      read(key);
      const flag = features.flags.get(key);
      return flag && comparedAttributes(flag, features);
    },
    /** The flags that are compiled until now, by key. */
    compiled,
    /** How many parts a flag has. */
    partCount: (key: string) => partCount(features.flags.get(key), features),
    /** Compiles each flag that takes more than a millisecond, in steps, so that no question has to wait for it. */
    *large() {
      for (const [key, flag] of features.flags)
        if (!compiled.has(key) && partCount(flag, features) > PARTS_PER_MS) yield compile(key);
    },
  };
}

/** So many parts of flags are compiled in a millisecond. A list counts by its text. */
export const PARTS_PER_MS = 500;
const LENGTH_OF_PART = 64;

/** What a flag consists of. */
function stepsOf(flag: Flag): readonly (Rule | Rollout)[] {
  return flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : rulesInForce(flag);
}

function comparedAttributes(flag: Flag, { segments }: Features): readonly string[] {
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

function partCount(flag: Flag | undefined, { segments }: Features): number {
  if (flag === undefined) return 0;
  let parts = 0;
  for (const step of stepsOf(flag)) {
    parts += 1 + ('distributions' in step ? step.distributions.length : 0);
    for (const key of 'segmentKeys' in step ? step.segmentKeys : []) {
      parts++;
      for (const { value } of segments.get(key)?.constraints ?? [])
        parts += 1 + value.length / LENGTH_OF_PART;
    }
  }
  return parts;
}

/**
 * Whether the entity's bucket decided this answer of the flag: evaluation reached a percentage, or a rule that divides
 * its entities among variants or gives its variant to only some of them. The answer names the segments of the rule.
 */
function bucketDecided(flag: Flag, answer: ValueAnswer, { segments }: Features, semantics: Semantics) {
  const matching = new Set(answer.segmentKeys);
  // The first rule that applies with the answer's segments has given it: no rule behind it was reached.
  const isReached = ({ segmentKeys: chosen, segmentOperator }: SegmentChoice) => {
    // The answer has the segments' own keys.
    const { length } = chosen.filter((name) => matching.has(segments.get(name)?.key ?? name));
    const least = { one: 1, all: chosen.length, none: 0 };
    return length >= least[neededSegments(segmentOperator)];
  };
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    const shares = sharesIn(rulesInForce(flag).find(isReached)?.distributions ?? []);
    return !isUndivided(boundsOf(shares, semantics));
  }
  // Whether a threshold gave the answer or let evaluation go on, the bucket decided. One of 0 includes nobody.
  const reached = flag.rollouts.find((rollout) =>
    rollout.kind === 'segment' ? isReached(rollout) : underThreshold(rollout.percentage) !== 'nobody',
  );
  return reached?.kind === 'threshold' && underThreshold(reached.percentage) === 'some';
}

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
