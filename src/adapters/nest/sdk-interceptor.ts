import { ApplicationConfig, MetadataScanner, ModulesContainer, type ModuleRef } from '@nestjs/core';
import { isObject } from '../../base/text/describe.js';
import { contextFactory } from './request-state.js';

const FACTORY = 'contextFactory';

/**
 * Gives the `contextFactory` of this package to each interceptor of \@openfeature/nestjs-sdk that has no
 * `contextFactory`. The SDK's interceptor runs handlers in the context that its `contextFactory` returns, and without a
 * factory this context is empty: guards would know the user, but handlers would not. Throws an Error if an interceptor
 * cannot be changed.
 */
export function completeSdkInterceptors(app: ModuleRef): void {
  const ofTheApp = app.get(ApplicationConfig, { strict: false }).getGlobalInterceptors();
  for (const interceptor of [...ofModules(app), ...ofTheApp]) {
    if (isObject(interceptor) && isOfSdk(interceptor)) complete(interceptor);
  }
}

/**
 * The interceptor is recognised by its members, because this package does not depend on \@openfeature/nestjs-sdk, and
 * an app can contain several copies of \@openfeature/nestjs-sdk.
 */
function isOfSdk(interceptor: object): boolean {
  return Object.hasOwn(interceptor, FACTORY) && typeof Reflect.get(interceptor, 'intercept') === 'function';
}

function complete(interceptor: object): void {
  if (Reflect.get(interceptor, FACTORY)) return;
  if (Reflect.set(interceptor, FACTORY, contextFactory)) return;
  throw new Error(
    'FliptModule: the EvaluationContextInterceptor of @openfeature/nestjs-sdk would give handlers an empty context; ' +
      'use OpenFeatureModule.forRoot({ useGlobalInterceptor: false }) and no interceptor of your own',
  );
}

/**
 * Yields the objects that Nest has created for the app's modules, interceptors among them, and the interceptors that
 * are arguments of decorators.
 */
function* ofModules(app: ModuleRef): Iterable<unknown> {
  const modules = app.get(ModulesContainer, { strict: false });
  for (const { providers, injectables, controllers } of modules.values()) {
    for (const { instance } of [...providers.values(), ...injectables.values()]) yield instance;
    for (const { metatype } of controllers.values()) {
      if (typeof metatype === 'function') yield* decorating(metatype);
    }
  }
}

const INTERCEPTORS = '__interceptors__';

/** Yields the arguments of `@UseInterceptors` on a controller and on its handlers. */
function* decorating(controller: { readonly prototype?: unknown }): Iterable<unknown> {
  const methods = Object(controller.prototype) as Readonly<Record<string, object>>;
  const handlers = new MetadataScanner().getAllMethodNames(methods);
  for (const target of [controller, ...handlers.map((name) => methods[name] ?? {})]) {
    const interceptors = Reflect.getMetadata(INTERCEPTORS, target) as readonly unknown[] | undefined;
    yield* interceptors ?? [];
  }
}
