import type { ModulesContainer } from '@nestjs/core';
import { contextFactory } from './set-request-context.js';

/**
 * The interceptor of `OpenFeatureModule` (\@openfeature/nestjs-sdk) runs handlers in the context that its
 * `contextFactory` returns, and without a factory in an empty one: guards would know the user, handlers would not.
 * Gives it ours where it has none, or throws if it cannot.
 */
export function completeSdkInterceptors(modules: ModulesContainer): void {
  for (const { providers, injectables } of modules.values()) {
    for (const { metatype, instance } of [...providers.values(), ...injectables.values()]) {
      // By its name: the package is not a dependency of this one, and an app may have more than one copy.
      if (metatype?.name === 'EvaluationContextInterceptor' && isObject(instance)) complete(instance);
    }
  }
}

function complete(interceptor: object): void {
  if (Reflect.get(interceptor, 'contextFactory')) return;
  if ('contextFactory' in interceptor && Reflect.set(interceptor, 'contextFactory', contextFactory)) return;
  throw new Error(
    'FliptModule: the interceptor of OpenFeatureModule would give handlers an empty context; ' +
      'use OpenFeatureModule.forRoot({ useGlobalInterceptor: false })',
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
