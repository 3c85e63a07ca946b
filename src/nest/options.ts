import type { EvaluationContext, Provider } from '@openfeature/server-sdk';

/**
 * What {@link FliptModule.forRoot} may be told; a wrong or unknown option is a TypeError that names it, at the start of
 * the app.
 * `R` is the framework's request: Express's or Fastify's.
 */
export interface FliptModuleOptions<R extends object = object> {
  /**
   * Who is asking: at least a `targetingKey`. Called once a request, at its first resolve, so it sees the user whom a
   * guard has put on the request. It runs inside a resolve and so must not be async: what takes time belongs in a guard
   * or a middleware. What it throws rejects the resolve, and so reaches Nest's exception filters.
   * Default: the context holds nothing but what {@link setRequestContext} adds.
   */
  context?(request: R): EvaluationContext;
  /**
   * Registered when the app starts, and closed when it shuts down. Any OpenFeature provider will do.
   * Default: a `FliptProvider`, configured by environment variables.
   */
  readonly provider?: Provider | undefined;
  /** OpenFeature's domain to register it for. Default: the default one. */
  readonly domain?: string | undefined;
  /**
   * Flags that a request will ask for: fetched in one batch with its first resolve, if the provider can prefetch.
   * Default: none.
   */
  prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /** Milliseconds that the start of the app waits for the provider to be ready. Default 10000. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * `true`: the app does not start without a ready provider. Default `false`: a warning, defaults are served, and the
   * provider recovers by itself.
   */
  readonly required?: boolean | undefined;
}

/** Throws a TypeError that names what is wrong, what was expected and what was given. */
export function checkOptions(options: FliptModuleOptions): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) throw wrong('options', 'an object', given);
  for (const [name, value] of Object.entries(given)) {
    const rule = RULES.get(name);
    if (rule === undefined) throw new TypeError(`FliptModule: ${name}: unknown option`);
    const [expected, holds] = rule;
    if (value !== undefined && !holds(value)) throw wrong(name, expected, value);
  }
}

const isFunction = (value: unknown) => typeof value === 'function';
const isFlagKeys = (value: unknown) =>
  Array.isArray(value) && value.every((flagKey) => typeof flagKey === 'string');
const isProvider = (value: unknown) =>
  typeof value === 'object' && value !== null && 'resolveBooleanEvaluation' in value;

const RULES: ReadonlyMap<string, readonly [expected: string, holds: (value: unknown) => boolean]> = new Map([
  ['context', ['a function', isFunction]],
  ['provider', ['an OpenFeature provider', isProvider]],
  ['domain', ['a string', (value: unknown) => typeof value === 'string']],
  [
    'prefetch',
    ['a list of flag keys or a function', (value: unknown) => isFunction(value) || isFlagKeys(value)],
  ],
  ['readyTimeoutMs', ['milliseconds > 0', (value: unknown) => typeof value === 'number' && value > 0]],
  ['required', ['true or false', (value: unknown) => typeof value === 'boolean']],
]);

function wrong(name: string, expected: string, value: unknown): TypeError {
  const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
  return new TypeError(`FliptModule: ${name}: expected ${expected}, got ${got}`);
}
