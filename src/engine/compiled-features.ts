import { bucketDecided } from './decided-by-bucket.js';
import { compileFlag, type Evaluate } from './compiled-flag.js';
import type { Features, Flag, Rollout, Rule, Semantics } from './features.js';
import { rulesInForce } from './parts-in-force.js';
import { atOnce, type Steps } from '../time/pausable-steps.js';
import { compileSegment, type FindSegment } from './segment-match.js';

/** A flag, with everything prepared that does not depend on the question. */
export interface CompiledFlag {
  readonly evaluate: Evaluate;
}

/** A namespace's features, prepared for evaluation. Each flag is compiled when it is first asked for. */
export type CompiledFeatures = ReturnType<typeof compileFeatures>;

/**
 * Prepares features. This costs nothing by itself: the first question about a flag pays for its compilation. `known` are
 * compiled flags in which nothing has changed. `read` is called before a flag is compiled: the features may get it then.
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
    bucketDecided(key: string, answer: ReturnType<Evaluate>): boolean {
      read(key);
      const flag = features.flags.get(key);
      return flag !== undefined && bucketDecided(flag, answer, features, semantics);
    },
    /** The flags that are compiled until now, by key. */
    compiled,
    /** The parts of a flag, of which a thousand are compiled in two milliseconds. */
    partsOf: (key: string): number => {
      const flag = features.flags.get(key);
      return flag === undefined ? 0 : partsOf(flag, features);
    },
    /** Compiles each flag that takes more than a millisecond, in steps, so that no question has to wait for it. */
    *large() {
      for (const [key, flag] of features.flags)
        if (!compiled.has(key) && partsOf(flag, features) > MOST_PARTS) yield compile(key);
    },
  };
}

/** A flag with more parts takes more than a millisecond. A list counts by its text. */
const MOST_PARTS = 500;
const LENGTH_OF_PART = 64;

function partsOf(flag: Flag, { segments }: Features): number {
  const steps: readonly (Rule | Rollout)[] =
    flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : rulesInForce(flag);
  let parts = 0;
  for (const step of steps) {
    parts += 1 + ('distributions' in step ? step.distributions.length : 0);
    for (const key of 'segmentKeys' in step ? step.segmentKeys : []) {
      parts++;
      for (const { value } of segments.get(key)?.constraints ?? [])
        parts += 1 + value.length / LENGTH_OF_PART;
    }
  }
  return parts;
}
