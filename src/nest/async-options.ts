import type { FactoryProvider, ModuleMetadata } from '@nestjs/common';
import * as v from 'valibot';
import { list, openRules } from '../options/entry-rules.js';
import { checkOptions } from '../options/check-options.js';
import { callable, type RulesOf } from '../options/shapes.js';
import { quoted } from '../text/describe.js';
import { moduleRules, type FliptModuleOptions } from './module-options.js';
import { startingWith } from './app-providers.js';

/** Options from a factory, as in other dynamic modules. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /** OpenFeature's domain. Needed to inject the provider by a domain. Default: the default one. */
  readonly domain?: string | undefined;
  /** The arguments of `useFactory`. Default: none. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options, or a promise of them. */
  readonly useFactory: FactoryProvider<FliptModuleOptions<R>>['useFactory'];
}

export const asyncRules = openRules('FliptModule.forRootAsync', {
  useFactory: callable(),
  domain: v.optional(v.string('a string')),
  imports: v.optional(list),
  inject: v.optional(list),
} satisfies RulesOf<FliptModuleAsyncOptions>);

/**
 * Makes the options. The factory gets the app as its first argument, before the injected values. The provider is
 * injected by `domain`, so the options must not name another domain.
 */
export function optionsFactory<R extends object>({ domain, useFactory }: FliptModuleAsyncOptions<R>) {
  return async (app: object, ...injected: unknown[]) =>
    startingWith(app, async () => {
      const options = await useFactory(...injected);
      if (domain === undefined) return options;
      checkOptions(moduleRules, options);
      if (options.domain === undefined || options.domain === domain) return { ...options, domain };
      throw new TypeError(
        `FliptModule.forRootAsync: domain: useFactory returned ${quoted(options.domain)}, expected ${quoted(domain)}`,
      );
    });
}
