import type { EvaluationContext, Provider } from '@openfeature/server-sdk';
import * as v from 'valibot';
import type { OptionRules } from '../options/check-options.js';
import { callable, flagKeys, having, members, milliseconds, trueOrFalse } from '../options/option-shapes.js';

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
  /** OpenFeature's domain to register the provider for. Default: the default one. */
  readonly domain?: string | undefined;
  /**
   * Flags that a request will ask for: fetched in one batch with its first resolve, if the provider can prefetch.
   * Default: none.
   */
  prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /** Milliseconds that the start of the app waits for the provider to be ready, at most 2147483647. Default 10000. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * `true`: the app does not start without a ready provider. Default `false`: a warning, defaults are served, and the
   * provider recovers by itself.
   */
  readonly required?: boolean | undefined;
}

export const moduleRules: OptionRules = {
  owner: 'FliptModule',
  shape: members({
    context: v.optional(callable()),
    provider: v.optional(having(['resolveBooleanEvaluation'], 'an OpenFeature provider')),
    domain: v.optional(v.string('a string')),
    prefetch: v.optional(flagKeys),
    readyTimeoutMs: milliseconds(1),
    required: v.optional(trueOrFalse),
  }),
  showsText: () => true,
};
