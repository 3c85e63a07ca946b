import type { EvaluationContext, Provider } from '@openfeature/server-sdk';
import * as v from 'valibot';
import {
  callable,
  domain,
  flagKeys,
  having,
  list,
  milliseconds,
  rulesWithoutSecrets,
  trueOrFalse,
  type RulesOf,
} from '../../options/value-rules.js';
import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';

/**
 * The options of {@link FliptModule.forRoot}. A wrong or unknown option makes the start of the app fail with a
 * TypeError that names the option. `R` is the type of the framework's request: Express's or Fastify's.
 */
export interface FliptModuleOptions<R extends object = object> {
  /**
   * Returns the user and other attributes of a request: usually at least a `targetingKey`. The function is called at
   * least once for each resolve in a middleware or a guard, and usually only once for all resolves of the handler, so
   * it sees the user that a guard has put on the request. The function must depend only on the request, and must not be
   * async: do slow work in a guard or a middleware. If the function throws, the resolve rejects, and Nest's exception
   * filters see the error. Default: only what {@link setRequestContext} adds.
   */
  context?(request: R): EvaluationContext;
  /**
   * The provider, which is registered when the app starts and closed when the app shuts down. You can pass any
   * OpenFeature provider. `InjectFlipt` injects this provider. Default: a `FliptProvider`, configured by environment
   * variables.
   */
  readonly provider?: Provider | undefined;
  /**
   * The OpenFeature domain of the provider. Each domain needs a `FliptModule` of its own. Default: the default domain.
   */
  readonly domain?: string | undefined;
  /**
   * The keys of flags that a request will need. When the request first resolves a flag, and again when the request's
   * context has changed, a `FliptProvider` asks Flipt together for those flags in `prefetch` that it can answer neither
   * from its cache nor in-process. Default: none.
   */
  prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /**
   * How long the start of the app waits until the provider is ready, in milliseconds. The largest possible value is
   * 2147483647. Default 10000.
   */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * Whether the app needs a ready provider to start. With `false`, an app whose provider is not ready starts with a
   * warning, and usually gets defaults until the provider is ready. Default `false`.
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

/** These are options of `FliptProvider`, which users might pass to the module by mistake. */
const OF_PROVIDER = /^(url|namespace|environment|auth|evaluation|snapshot|watch|cache)$/;

export const moduleRules = {
  ...shape,
  hint: (path: string) =>
    OF_PROVIDER.test(path) ? `did you mean provider: new FliptProvider({ ${path} })?` : undefined,
};

/** The options of {@link FliptModule.forRootAsync}, which are like those of other dynamic modules of Nest. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /**
   * The OpenFeature domain of the provider. Set this option if you name a domain in `@InjectFlipt`. Default: the
   * default domain.
   */
  readonly domain?: string | undefined;
  /** The tokens of the arguments that `useFactory` gets. Default: none. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options of {@link FliptModule.forRoot}, or a promise of these options. */
  readonly useFactory: FactoryProvider<FliptModuleOptions<R>>['useFactory'];
}

export const asyncRules = rulesWithoutSecrets('FliptModule.forRootAsync', {
  useFactory: callable(),
  domain,
  imports: v.optional(list),
  inject: v.optional(list),
} satisfies RulesOf<FliptModuleAsyncOptions>);
