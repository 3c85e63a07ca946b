import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Request } from 'express';
import * as v from 'valibot';
import { contextTimeoutMs, flagKeys, openRules } from '../options/entry-rules.js';
import { callable, having, type RulesOf } from '../options/shapes.js';
import type { Prefetcher } from '../index.js';

/** A wrong or unknown option is a TypeError that names it. It is thrown when the middleware is made. */
export interface FlagsOptions {
  /**
   * The user and other attributes of a request: at least a `targetingKey`. Called once for each request, when the
   * request reaches this middleware, so put it after the middleware that logs the user in. {@link setRequestContext}
   * adds to the context later. If it throws, rejects, takes longer than `contextTimeoutMs` or returns no object,
   * Express's error handling gets the error; an error page still has `req.flags`, without the user.
   */
  readonly context: (req: Request) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * Milliseconds that an async `context` may take, at most 2147483647; then the error handling gets an error.
   * Default 1000.
   */
  readonly contextTimeoutMs?: number | undefined;
  /** OpenFeature's domain, for `req.flags` and for the provider to prefetch from. Default: the default one. */
  readonly domain?: string | undefined;
  /** Flags that handlers will need: fetched in one batch, while the request goes on. Default: none. */
  readonly prefetch?: readonly string[] | ((req: Request) => readonly string[]) | undefined;
  /**
   * The `FliptProvider` to prefetch from. Needed if it is not registered itself, as inside a MultiProvider.
   * Default: the provider registered for `domain`, if it can prefetch.
   */
  readonly provider?: Prefetcher | undefined;
}

export const flagsRules = openRules('flags', {
  context: callable(),
  contextTimeoutMs,
  domain: v.optional(v.string('a string')),
  prefetch: v.optional(flagKeys),
  provider: v.optional(having<Prefetcher>(['prefetch'], 'a provider that can prefetch')),
} satisfies RulesOf<FlagsOptions>);
