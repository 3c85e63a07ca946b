import type { EvaluationContext } from '@openfeature/server-sdk';

/** A context that computes its attributes only when a resolve reads it. */
export interface LazyContext {
  /** Reads like any other context. */
  readonly context: EvaluationContext;
  /** The next read computes the attributes again. */
  readonly refresh: () => void;
  /** The next read computes the attributes again, for the last time. */
  readonly settle: () => void;
}

/**
 * Each resolve copies the transaction context. Until the context is settled, each copy calls `attributes`, because the
 * user may log in between two resolves. If `attributes` throws, the resolve throws the same, and the next read tries
 * again. Reading a symbol calls nothing.
 */
export function lazyContext(known: EvaluationContext, attributes: () => EvaluationContext): LazyContext {
  let isCurrent = false;
  let isSettled = false;
  let isComputing = false;

  const compute = () => {
    // `attributes` may itself read the context: it sees the attributes so far.
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

/** Keeps members under symbols, which are not attributes. */
function replaceAttributes(known: EvaluationContext, attributes: EvaluationContext): void {
  for (const name of Object.keys(known)) {
    if (!Object.hasOwn(attributes, name)) Reflect.deleteProperty(known, name);
  }
  Object.assign(known, attributes);
}
