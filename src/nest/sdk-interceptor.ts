import { ModulesContainer, type ModuleRef } from '@nestjs/core';
import { isObject } from '../text/describe.js';
import { contextFactory } from './request-state.js';

const FACTORY = 'contextFactory';

/**
 * The interceptor of `OpenFeatureModule` (\@openfeature/nestjs-sdk) runs handlers in the context that its
 * `contextFactory` returns. Without a factory that context is empty: guards would know the user, but handlers would
 * not. So an interceptor without a factory gets ours. Throws if that is not possible.
 */
export function completeSdkInterceptors(app: ModuleRef): void {
  for (const interceptor of [...ofModules(app), ...ofTheApp(app)]) {
    if (isObject(interceptor) && isOfSdk(interceptor)) complete(interceptor);
  }
}

/** Recognised by its members: this package does not depend on that one, and an app may have several copies of it. */
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

/** The interceptors that Nest has made, and those that decorators hold. */
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

/** The arguments of `@UseInterceptors` of a controller and its handlers. */
function* decorating(controller: { readonly prototype?: unknown }): Iterable<unknown> {
  const decorated: unknown[] = [controller];
  for (let of = controller.prototype; isObject(of); of = Object.getPrototypeOf(of)) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(of))) decorated.push(value);
  }
  for (const target of decorated) {
    if (typeof target !== 'function') continue;
    const interceptors: unknown = Reflect.getMetadata(INTERCEPTORS, target);
    if (isList(interceptors)) yield* interceptors;
  }
}

/**
 * The interceptors of `app.useGlobalInterceptors`. Nest has no public list of them. A test with each version of Nest
 * checks this access.
 */
function ofTheApp(app: ModuleRef): readonly unknown[] {
  const config = memberOf(memberOf(app, 'container'), 'applicationConfig');
  const list = memberOf(config, 'getGlobalInterceptors');
  const interceptors: unknown = typeof list === 'function' ? Reflect.apply(list, config, []) : [];
  return isList(interceptors) ? interceptors : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
