import type { EvaluationContext } from '@openfeature/server-sdk';

/** A context whose attributes are computed when a resolve looks at them. */
export interface LazyContext {
  /** Looks as any context does. */
  readonly context: EvaluationContext;
  /** The next look computes the attributes again. */
  readonly refresh: () => void;
  /** The next look computes the attributes again, for the last time. */
  readonly settle: () => void;
}

/**
 * Each resolve copies the transaction context; until the context is settled, each copy calls `attributes`, since the
 * user may log in between two resolves. What it throws, the resolve throws, and the next look tries again. Looking at
 * a symbol calls nothing.
 */
export function lazyContext(known: EvaluationContext, attributes: () => EvaluationContext): LazyContext {
  let isCurrent = false;
  let isSettled = false;
  let isComputing = false;

  const compute = () => {
    // `attributes` may itself look: it sees the attributes so far.
    if (isComputing) return;
    isComputing = true;
    isCurrent = false;
    try {
      replaceAttributes(known, attributes());
      isCurrent = true;
    } finally {
      isComputing = false;
    }
  };
  const look = (key: string | symbol) => {
    if (typeof key === 'string' && !isCurrent) compute();
  };
  const context = new Proxy(known, {
    get(target, key): unknown {
      look(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      look(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      look(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      if (!isCurrent || !isSettled) compute();
      return Reflect.ownKeys(target);
    },
  });
  const refresh = () => {
    isCurrent = false;
  };
  return {
    context,
    refresh,
    settle() {
      isSettled = true;
      refresh();
    },
  };
}

/** Members under symbols stay: they are not attributes. */
function replaceAttributes(known: EvaluationContext, attributes: EvaluationContext): void {
  for (const name of Object.keys(known)) {
    if (!Object.hasOwn(attributes, name)) Reflect.deleteProperty(known, name);
  }
  Object.assign(known, attributes);
}
