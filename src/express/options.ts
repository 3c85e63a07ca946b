import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Request } from 'express';
import type { Prefetcher } from '../index.js';

/** A wrong or unknown option is a TypeError that names it, thrown when the middleware is made. */
export interface FlagsOptions {
  /**
   * Who is asking: at least a `targetingKey`. Called once a request, when the middleware is reached, so put it behind
   * the one that finds out who the user is. What it throws or rejects with goes to Express's error handling, and so
   * does a TypeError if it gives no object.
   */
  readonly context: (req: Request) => EvaluationContext | Promise<EvaluationContext>;
  /** Milliseconds that an async `context` may take; then the request goes to the error handling. Default 1000. */
  readonly contextTimeoutMs?: number | undefined;
  /** OpenFeature's domain, for `req.flags` and for the provider to prefetch from. Default: the default one. */
  readonly domain?: string | undefined;
  /** Flags that handlers will ask for: fetched in one batch, while the request goes on. Default: none. */
  readonly prefetch?: readonly string[] | ((req: Request) => readonly string[]) | undefined;
  /**
   * Who is asked to prefetch: a `FliptProvider`. Needed where it is not registered itself, as inside a MultiProvider.
   * Default: the provider registered for `domain`; one that cannot prefetch is left alone.
   */
  readonly provider?: Prefetcher | undefined;
}

/** Throws a TypeError that names what is wrong, what was expected and what was given. */
export function checkOptions(options: FlagsOptions): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw wrong('options', 'an object', given);
  for (const [name, value] of Object.entries(given)) {
    const rule = RULES.get(name);
    if (rule === undefined) throw new TypeError(`flags: ${name}: unknown option`);
    const [expected, holds] = rule;
    if (value !== undefined && !holds(value)) throw wrong(name, expected, value);
  }
  if (!('context' in given) || given.context === undefined) throw wrong('context', 'a function', undefined);
}

const isFunction = (value: unknown) => typeof value === 'function';
const isFlagKeys = (value: unknown) =>
  Array.isArray(value) && value.every((flagKey) => typeof flagKey === 'string');
const isPrefetcher = (value: unknown) =>
  typeof value === 'object' && value !== null && 'prefetch' in value && isFunction(value.prefetch);

const RULES: ReadonlyMap<string, readonly [expected: string, holds: (value: unknown) => boolean]> = new Map([
  ['context', ['a function', isFunction]],
  ['contextTimeoutMs', ['milliseconds > 0', (value: unknown) => typeof value === 'number' && value > 0]],
  ['domain', ['a string', (value: unknown) => typeof value === 'string']],
  [
    'prefetch',
    ['a list of flag keys or a function', (value: unknown) => isFunction(value) || isFlagKeys(value)],
  ],
  ['provider', ['a provider that can prefetch', isPrefetcher]],
]);

function wrong(name: string, expected: string, value: unknown): TypeError {
  const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
  return new TypeError(`flags: ${name}: expected ${expected}, got ${got}`);
}
