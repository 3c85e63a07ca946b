import type { EvaluationContext } from '@openfeature/server-sdk';

/**
 * Makes an evaluation context that computes its attributes only when somebody reads them, for example a resolve.
 *
 * OpenFeature copies the transaction context for each resolve. Until `settle` is called, the context calls `attributes`
 * again each time that it is copied, because the user might log in between two resolves. If `attributes` throws, the
 * resolve rejects with that error, and the next read calls `attributes` again. Reading a member under a symbol does not
 * call `attributes`.
 */
export function lazyContext(current: EvaluationContext, attributes: () => EvaluationContext) {
  let isCurrent = false;
  let isSettled = false;
  let isComputing = false;

  const compute = () => {
    // If `attributes` reads the context itself, it sees the attributes that were computed before.
    if (isComputing) return;
    isComputing = true;
    isCurrent = false;
    try {
      replaceAttributes(current, attributes());
      isCurrent = true;
    } finally {
      isComputing = false;
    }
  };
  /**
   * Makes a trap for the proxy below. Before the trap reads a member whose name is a string, it computes the
   * attributes, unless they are up to date.
   */
  const looking =
    <Found>(find: (target: EvaluationContext, key: string | symbol) => Found) =>
    (target: EvaluationContext, key: string | symbol): Found => {
      if (typeof key === 'string' && !isCurrent) compute();
      return find(target, key);
    };
  const context = new Proxy(current, {
    get: looking<unknown>(Reflect.get),
    has: looking(Reflect.has),
    getOwnPropertyDescriptor: looking(Reflect.getOwnPropertyDescriptor),
    ownKeys(target) {
      if (!isCurrent || !isSettled) compute();
      return Reflect.ownKeys(target);
    },
  });
  /** Makes the next read compute the attributes again. */
  const refresh = () => {
    isCurrent = false;
  };
  /**
   * Makes the next read compute the attributes again, and all later reads return the same attributes until `refresh` is
   * called.
   */
  const settle = () => {
    isSettled = true;
    refresh();
  };
  return { context, refresh, settle };
}

/** Replaces the attributes, and keeps members under symbols, which are not attributes. */
function replaceAttributes(current: EvaluationContext, attributes: EvaluationContext): void {
  for (const name of Object.keys(current)) {
    if (!Object.hasOwn(attributes, name)) Reflect.deleteProperty(current, name);
  }
  Object.assign(current, attributes);
}
