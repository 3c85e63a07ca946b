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

/** `R` is the type of the framework's request: Express's or Fastify's. */
export interface FliptModuleOptions<R extends object = object> {
  /**
   * The user of a request: usually at least a `targetingKey`. It runs at each evaluation, so that it sees the user
   * that a guard has set, and must not be async: do slow work in a guard. If it throws, the evaluation gives its
   * default, and the error is logged. Default: only what {@link setRequestContext} adds.
   */
  readonly context?: ((request: R) => EvaluationContext) | undefined;
  /**
   * Registered when the app starts, closed when it shuts down. Default: a `FliptProvider` from environment variables.
   */
  readonly provider?: Provider | undefined;
  /** The OpenFeature domain of the provider. Default: the default domain. */
  readonly domain?: string | undefined;
  /**
   * Flags that a request will need. The first evaluation, and the first after the user has changed, asks for all of
   * them in one batch. Default: none.
   */
  readonly prefetch?: readonly string[] | ((request: R) => readonly string[]) | undefined;
  /** How long the start of the app waits for the provider. Default 10000. */
  readonly readyTimeoutMs?: number | undefined;
  /**
   * With `false`, the app starts without a ready provider, with a warning, and gets defaults until then. Default
   * `false`.
   */
  readonly required?: boolean | undefined;
}

const withoutDomain = {
  context: v.optional(callable<(request: object) => EvaluationContext>()),
  provider: v.optional(having<Provider>(['resolveBooleanEvaluation'], 'an OpenFeature provider')),
  prefetch: v.optional(flagKeys),
  readyTimeoutMs: v.optional(milliseconds(1), 10_000),
  required: v.optional(trueOrFalse, false),
} satisfies RulesOf<Omit<FliptModuleOptions, 'domain'>>;

export const moduleRules = optionRules('FliptModule', { ...withoutDomain, domain });
export const factoryRules = optionRules('FliptModule.forRootAsync: useFactory', withoutDomain);
export type Settings = v.InferOutput<typeof moduleRules.shape>;

/** As for other dynamic modules of Nest. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /** The OpenFeature domain of the provider, which the factory does not give. Default: the default domain. */
  readonly domain?: string | undefined;
  /** The tokens of the arguments of `useFactory`. Default: none. */
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: FactoryProvider<Omit<FliptModuleOptions<R>, 'domain'>>['useFactory'];
}

export const asyncRules = optionRules('FliptModule.forRootAsync', {
  useFactory: callable(),
  domain,
  imports: v.optional(list),
  inject: v.optional(list),
} satisfies RulesOf<FliptModuleAsyncOptions>);
