import { isObject } from '../text/describe.js';

/** Throws a TypeError for a middleware that was passed to Express itself: it then gets a request as its options. */
export function checkCalled(owner: string, options: unknown): void {
  if (!isObject(options) || !('originalUrl' in options)) return;
  throw new TypeError(`${owner}: options: got a request: call it, app.use(${owner}({ context: … }))`);
}

/** Express treats a falsy reason as no error, and some strings as commands to its router. */
export function asError(owner: string, error: unknown): object {
  return isObject(error) ? error : new Error(`${owner}: context failed: ${String(error)}`, { cause: error });
}
