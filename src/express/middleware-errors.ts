import { isObject } from '../text/describe.js';

/** Throws a TypeError for a middleware that was passed to Express itself: it then gets a request as its options. */
export function checkCalled(owner: string, options: unknown): void {
  if (!isObject(options) || !('originalUrl' in options)) return;
  throw new TypeError(`${owner}: options: got a request: call it, app.use(${owner}({ context: … }))`);
}

/** Express treats a falsy reason as no error, and some strings as commands to its router. */
export function asError(owner: string, reason: unknown): object {
  return isObject(reason)
    ? reason
    : new Error(`${owner}: context failed: ${String(reason)}`, { cause: reason });
}
