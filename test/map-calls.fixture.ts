const METHODS = ['get', 'has', 'set'] as const;

/** Returns how often `work`, which must be synchronous, reads or writes a `Map`. */
export function mapCallsOf(work: () => void): number {
  const prototype = Map.prototype as Record<(typeof METHODS)[number], (...args: unknown[]) => unknown>;
  const originals = METHODS.map((method) => prototype[method]);
  let calls = 0;
  METHODS.forEach((method, at) => {
    prototype[method] = function (this: unknown, ...args) {
      calls++;
      return Reflect.apply(originals[at] ?? prototype[method], this, args);
    };
  });
  try {
    work();
  } finally {
    METHODS.forEach((method, at) => {
      prototype[method] = originals[at] ?? prototype[method];
    });
  }
  return calls;
}
