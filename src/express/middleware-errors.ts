/** Throws a TypeError for a middleware that was passed to Express itself: it then gets a request as its options. */
export function checkCalled(owner: string, options: unknown): void {
  if (typeof options !== 'object' || options === null || !('originalUrl' in options)) return;
  throw new TypeError(`${owner}: options: got a request: call it, app.use(${owner}({ context: … }))`);
}

/** Express treats a falsy reason as no error, and some strings as commands to its router. */
export function asError(owner: string, reason: unknown): object {
  return typeof reason === 'object' && reason !== null
    ? reason
    : new Error(`${owner}: context failed: ${String(reason)}`, { cause: reason });
}
