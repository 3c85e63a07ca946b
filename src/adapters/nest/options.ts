import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import type { EvaluationContext, Provider } from '@openfeature/server-sdk';
import * as v from 'valibot';
import {
  callable,
  domain,
  flagKeys,
  having,
  list,
  milliseconds,
  optionRules,
  trueOrFalse,
  type RulesOf,
} from '../../options/value-rules.js';

/** The options of {@link FliptModule.forRoot}. `R` is the type of the framework's request: Express's or Fastify's. */
export interface FliptModuleOptions<R extends object = object> {
  /**
   * Returns the user of a request: usually at least a `targetingKey`. Called at each evaluation, so that it sees the
   * user that a guard has put on the request. It must not be async: do slow work in a guard or a middleware. If it
   * throws, the evaluation gives its default, and the error is logged. Default: only what {@link setRequestContext}
   * adds.
   */
  context?(request: R): EvaluationContext;
  /**
   * Any OpenFeature provider. It is registered when the app starts and closed when the app shuts down. Default: a
   * `FliptProvider`, configured by environment variables.
   */
  readonly provider?: Provider | undefined;
  /** The OpenFeature domain of the provider. Default: the default domain. */
  readonly domain?: string | undefined;
  /**
   * The flags that a request will need. The first evaluation, and the first one after the user has changed, asks for all
   * of them in one batch. Default: none.
   */
  prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /** How long the start of the app waits for the provider, in milliseconds. Default 10000. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * Whether the app needs a ready provider to start. With `false`, it starts with a warning, and gets defaults until the
   * provider is ready. Default `false`.
   */
  readonly required?: boolean | undefined;
}

export const moduleRules = optionRules('FliptModule', {
  context: v.optional(callable()),
  provider: v.optional(having<Provider>(['resolveBooleanEvaluation'], 'an OpenFeature provider')),
  domain,
  prefetch: v.optional(flagKeys),
  readyTimeoutMs: v.optional(milliseconds(1), 10_000),
  required: v.optional(trueOrFalse, false),
} satisfies RulesOf<FliptModuleOptions>);

/** The options of {@link FliptModule.forRootAsync}, which are like those of other dynamic modules of Nest. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /** The OpenFeature domain of the provider, by which `@InjectFlipt` finds it. Default: the default domain. */
  readonly domain?: string | undefined;
  /** The tokens of the arguments that `useFactory` gets. Default: none. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options of {@link FliptModule.forRoot}, or a promise of them. */
  readonly useFactory: FactoryProvider<FliptModuleOptions<R>>['useFactory'];
}

export const asyncRules = optionRules('FliptModule.forRootAsync', {
  useFactory: callable(),
  domain,
  imports: v.optional(list),
  inject: v.optional(list),
} satisfies RulesOf<FliptModuleAsyncOptions>);
