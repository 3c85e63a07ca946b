import type { EvaluationContext, Provider } from '@openfeature/server-sdk';
import * as v from 'valibot';
import { domain, flagKeys, list, rulesWithoutSecrets } from '../../options/entry-rules.js';
import { callable, having, milliseconds, trueOrFalse, type RulesOf } from '../../options/shapes.js';
import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';

/**
 * The options of {@link FliptModule.forRoot}. A wrong or unknown one is a TypeError that names it, at the start of the app.
 * `R` is the framework's request: Express's or Fastify's.
 */
export interface FliptModuleOptions<R extends object = object> {
  /**
   * The user and other attributes of a request: at least a `targetingKey`. Called for each resolve in a middleware or a
   * guard, and once for all resolves of the handler, so it sees the user that a guard has put on the request. It must
   * depend only on the request, and must not be async: slow work belongs in a guard or a middleware. If it throws, the
   * resolve rejects, and Nest's exception filters see the error. Default: only what {@link setRequestContext} adds.
   */
  context?(request: R): EvaluationContext;
  /**
   * Registered when the app starts, closed when it shuts down; any OpenFeature provider. `InjectFlipt` injects it.
   * Default: a `FliptProvider`, configured by environment variables.
   */
  readonly provider?: Provider | undefined;
  /** OpenFeature's domain for the provider. Each domain needs a `FliptModule` of its own. Default: the default one. */
  readonly domain?: string | undefined;
  /**
   * Flags that a request will need: fetched in one batch with its first resolve, if the provider can prefetch.
   * Default: none.
   */
  prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /** Milliseconds that the app's start waits for the provider to be ready, at most 2147483647. Default 10000. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * `true`: the app does not start without a ready provider. Default `false`: it starts with a warning, serves defaults,
   * and the provider recovers by itself.
   */
  readonly required?: boolean | undefined;
}

const shape = rulesWithoutSecrets('FliptModule', {
  context: v.optional(callable()),
  provider: v.optional(having<Provider>(['resolveBooleanEvaluation'], 'an OpenFeature provider')),
  domain,
  prefetch: v.optional(flagKeys),
  readyTimeoutMs: v.optional(milliseconds(1), 10_000),
  required: v.optional(trueOrFalse, false),
} satisfies RulesOf<FliptModuleOptions>);

/** The module takes a provider, which takes the options of the connection. */
const OF_PROVIDER = /^(url|namespace|environment|auth|evaluation|snapshot|watch|cache)$/;

export const moduleRules = {
  ...shape,
  hint: (path: string) =>
    OF_PROVIDER.test(path) ? `did you mean provider: new FliptProvider({ ${path} })?` : undefined,
};

/** Options from a factory, as in other dynamic modules. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /** OpenFeature's domain. Needed to inject the provider by a domain. Default: the default one. */
  readonly domain?: string | undefined;
  /** The arguments of `useFactory`. Default: none. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options, or a promise of them. */
  readonly useFactory: FactoryProvider<FliptModuleOptions<R>>['useFactory'];
}

export const asyncRules = rulesWithoutSecrets('FliptModule.forRootAsync', {
  useFactory: callable(),
  domain,
  imports: v.optional(list),
  inject: v.optional(list),
} satisfies RulesOf<FliptModuleAsyncOptions>);
