import { compileBucketDecides } from './bucket-decides.js';
import { compileBooleanFlag } from './boolean-flag.js';
import { attributesOf, isLarge, sameFlag } from './flag-parts.js';
import type { Features, Flag, Semantics } from './features.js';
import type { Evaluate } from './first-match.js';
import { atOnce, type Steps } from './stepwise.js';
import { compileSegment, type CompiledSegment, type FindSegment } from './segment-match.js';
import { compileVariantFlag } from './variant-flag.js';

/** A flag, with everything prepared that does not depend on the question. */
export interface CompiledFlag {
  readonly type: Flag['type'];
  /** The names of all attributes that the flag may read. */
  readonly attributes: readonly string[];
  readonly evaluate: Evaluate;
  /** Whether the answer depends on the entity's bucket. */
  readonly bucketDecides: Evaluate<boolean>;
}

/** A namespace's features, prepared for evaluation. Each flag is compiled when it is first asked for. */
export interface CompiledFeatures {
  readonly features: Features;
  readonly semantics: Semantics;
  /** `undefined` if there is no such flag. */
  readonly flag: (key: string) => CompiledFlag | undefined;
  /** The keys of the flags that are still to be compiled, and take more than a millisecond. */
  readonly large: () => readonly string[];
  /** Compiles a flag in steps, so that no question has to wait for it. */
  readonly compile: (key: string) => Steps<CompiledFlag | undefined>;
  /**
   * Prepares the features that follow these. A compiled flag stays compiled if the new features hold the same objects
   * for it and for its segments.
   */
  readonly next: (features: Features) => CompiledFeatures;
}

/** Prepares features. This costs nothing by itself: the first question about a flag pays for its compilation. */
export function compileFeatures(features: Features, semantics: Semantics): CompiledFeatures {
  return compiledWith(features, semantics, new Map());
}

function compiledWith(
  features: Features,
  semantics: Semantics,
  compiled: Map<string, CompiledFlag>,
): CompiledFeatures {
  const segments = new Map<string, CompiledSegment>();

  const find: FindSegment = (key) => {
    const known = segments.get(key);
    if (known !== undefined) return known;
    const segment = features.segments.get(key);
    if (segment === undefined) return undefined;
    const compiledSegment = compileSegment(segment);
    segments.set(key, compiledSegment);
    return compiledSegment;
  };

  function* compile(key: string): Steps<CompiledFlag | undefined> {
    const flag = features.flags.get(key);
    if (flag === undefined) return undefined;
    const prepared = yield* compileFlag(flag, features, find, semantics);
    compiled.set(key, prepared);
    return prepared;
  }

  return {
    features,
    semantics,
    flag: (key) => compiled.get(key) ?? atOnce(compile(key)),
    large: () =>
      [...features.flags].flatMap(([key, flag]) =>
        !compiled.has(key) && isLarge(flag, features) ? [key] : [],
      ),
    compile,
    next(following) {
      const kept = [...compiled].filter(([key]) => sameFlag(key, features, following));
      return compiledWith(following, semantics, new Map(kept));
    },
  };
}

function* compileFlag(
  flag: Flag,
  features: Features,
  find: FindSegment,
  semantics: Semantics,
): Steps<CompiledFlag> {
  const { type } = flag;
  const attributes = attributesOf(flag, features);
  const evaluate =
    flag.type === 'BOOLEAN_FLAG_TYPE'
      ? yield* compileBooleanFlag(flag, find)
      : yield* compileVariantFlag(flag, find, semantics);
  return { type, attributes, evaluate, bucketDecides: yield* compileBucketDecides(flag, find) };
}
