import type { EvaluationContext } from '@openfeature/server-sdk';

/** A context whose attributes are put together when somebody first looks at them. */
export interface LazyContext {
  /** Looks as any context does. */
  readonly context: EvaluationContext;
  /** Has the attributes put together anew at the next look. */
  readonly refresh: () => void;
}

/**
 * OpenFeature copies the transaction context at each resolve: that is the look which has `attributes` called.
 * What it throws, the resolve throws, and the next look tries again. To look at a symbol is no look at the attributes.
 */
export function lazyContext(known: EvaluationContext, attributes: () => EvaluationContext): LazyContext {
  let current = false;
  const look = () => {
    if (current) return;
    // Set before: `attributes` may itself look, and then sees what is there so far.
    current = true;
    try {
      Object.assign(known, attributes());
    } catch (error) {
      current = false;
      throw error;
    }
  };
  const lookFor = (key: string | symbol) => {
    if (typeof key === 'string') look();
  };
  const context = new Proxy(known, {
    get(target, key): unknown {
      lookFor(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      lookFor(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      lookFor(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      look();
      return Reflect.ownKeys(target);
    },
  });
  const refresh = () => {
    current = false;
  };
  return { context, refresh };
}
