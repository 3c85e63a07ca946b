import type { EvaluationContext } from '@openfeature/server-sdk';

/**
 * A context that computes its attributes only when a resolve reads it; otherwise it reads like any other.
 *
 * Each resolve copies the transaction context. Until the context is settled, each copy calls `attributes`, because the
 * user may log in between two resolves. If `attributes` throws, the resolve throws the same, and the next read tries
 * again. Reading a symbol calls nothing.
 */
export function lazyContext(known: EvaluationContext, attributes: () => EvaluationContext) {
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
  /** A trap that computes the attributes, if they are not current, before it looks for one. */
  const looking =
    <Found>(find: (target: EvaluationContext, key: string | symbol) => Found) =>
    (target: EvaluationContext, key: string | symbol): Found => {
      if (typeof key === 'string' && !isCurrent) compute();
      return find(target, key);
    };
  const context = new Proxy(known, {
    get: looking<unknown>(Reflect.get),
    has: looking(Reflect.has),
    getOwnPropertyDescriptor: looking(Reflect.getOwnPropertyDescriptor),
    ownKeys(target) {
      if (!isCurrent || !isSettled) compute();
      return Reflect.ownKeys(target);
    },
  });
  /** The next read computes the attributes again. */
  const refresh = () => {
    isCurrent = false;
  };
  /** The next read computes the attributes again, for the last time. */
  const settle = () => {
    isSettled = true;
    refresh();
  };
  return { context, refresh, settle };
}

/** Keeps members under symbols, which are not attributes. */
function replaceAttributes(known: EvaluationContext, attributes: EvaluationContext): void {
  for (const name of Object.keys(known)) {
    if (!Object.hasOwn(attributes, name)) Reflect.deleteProperty(known, name);
  }
  Object.assign(known, attributes);
}
