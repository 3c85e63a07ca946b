import {
  Inject,
  NotFoundException,
  Optional,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type Type,
  Logger,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { OpenFeature } from '@openfeature/server-sdk';
import * as v from 'valibot';
import { domain, rulesWithoutSecrets } from '../../options/entry-rules.js';
import { checkOptions } from '../../options/check-options.js';
import { isPromiseLike, kindReturned } from '../../base/text/describe.js';
import { callable, trueOrFalse, type RulesOf } from '../../options/shapes.js';
import { impliedDomain } from './app-providers.js';
import { noRequest, stateIn } from './request-state.js';

/** The options of {@link RequireFlag}. */
export interface RequireFlagOptions {
  /** Used if the flag cannot be resolved. */
  readonly default: boolean;
  /** OpenFeature's domain. Default: that of the app's `FliptModule`; of several, the default one. */
  readonly domain?: string | undefined;
  /** Makes the exception for a request while the flag is off. Default: 404, as for a route that does not exist. */
  readonly otherwise?: ((context: ExecutionContext) => Error) | undefined;
}

const RULES = rulesWithoutSecrets('RequireFlag', {
  default: trueOrFalse,
  domain,
  otherwise: v.optional(callable()),
} satisfies RulesOf<RequireFlagOptions>);

/**
 * Lets requests reach a handler, or any handler of a controller, only while a boolean flag is on for them.
 *
 * It is a guard. Guards run in the order of their decorators from the bottom up, a controller's before a handler's: put
 * it above the guard that logs the user in. Outside of HTTP, it uses the current transaction context, and throws an
 * Error if there is none. A wrong option is a TypeError where the decorator is applied.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { RequireFlag } from 'openfeature-flipt-provider/nest';
 *
 * \@Controller()
 * class CheckoutController {
 *   \@Get('checkout')
 *   \@RequireFlag('new-checkout', { default: false })
 *   checkout() {
 *     return 'welcome';
 *   }
 * }
 * ```
 */
export function RequireFlag(flag: string, options: RequireFlagOptions): ClassDecorator & MethodDecorator {
  if (typeof flag !== 'string') throw new TypeError('RequireFlag: flag: expected a string');
  checkOptions(RULES, options);
  return UseGuards(flagGuard(flag, options));
}

/** A class, so that Nest gives it the app that it guards. */
function flagGuard(flag: string, options: RequireFlagOptions): Type<CanActivate> {
  const { default: fallback, domain: given, otherwise = notFound } = options;
  const warnOfOrder = guardOrderWarnings(flag);
  class FlagGuard implements CanActivate {
    static readonly [FLAG_GUARD] = true;
    readonly #app: object;

    constructor(app: object = {}) {
      this.#app = app;
    }

    async canActivate(executionContext: ExecutionContext): Promise<boolean> {
      const state = stateIn(executionContext);
      const context = state?.context ?? OpenFeature.getTransactionContext();
      if (state === undefined && Reflect.ownKeys(context).length === 0) {
        throw noRequest(`@RequireFlag('${flag}')`);
      }
      const domain = given ?? impliedDomain(this.#app, `@RequireFlag('${flag}')`);
      const client = domain === undefined ? OpenFeature.getClient() : OpenFeature.getClient(domain);
      const isOn = await client.getBooleanValue(flag, fallback, context);
      if (!context.targetingKey) warnOfOrder(executionContext, state, isOn);
      if (isOn) return true;
      const made: unknown = otherwise(executionContext);
      // Nest would take a promise for an exception that it does not know.
      if (!isPromiseLike(made)) throw made;
      throw new TypeError(`RequireFlag: otherwise: expected an Error, got ${kindReturned(made)}`);
    }
  }
  Inject(ModulesContainer)(FlagGuard, undefined, 0);
  Optional()(FlagGuard, undefined, 0);
  return FlagGuard;
}

/** Nest's own exception for a route that does not exist. */
function notFound(executionContext: ExecutionContext): Error {
  if (executionContext.getType() !== 'http') return new NotFoundException();
  const { method, url } = executionContext.switchToHttp().getRequest<{ method: string; url: string }>();
  return new NotFoundException(`Cannot ${method} ${url}`);
}

/** Marks the guards of `@RequireFlag`. All copies of this package share it. */
export const FLAG_GUARD = Symbol.for('openfeature-flipt-provider.nest-flag-guard');

const GUARDS = '__guards__';

/**
 * Warns once for each route that a flag was asked for before the guard that logs the user in: for a request without a
 * targetingKey that has one when all guards have run, or that is refused before other guards of the route could run.
 */
export function guardOrderWarnings(flag: string) {
  const warned = new WeakSet<object>();

  return (execution: ExecutionContext, state: ReturnType<typeof stateIn>, isOn: boolean): void => {
    const handler = execution.getHandler();
    if (warned.has(handler)) return;
    const warn = () => {
      warned.add(handler);
      new Logger('FliptModule').warn(
        `@RequireFlag('${flag}') of ${execution.getClass().name}.${handler.name} found no targetingKey before other ` +
          'guards of the route had run: if one of them logs the user in, put @RequireFlag above it (guards run from ' +
          'the bottom decorator up)',
      );
    };
    const afterGuards = (targetingKey: unknown) => {
      if (targetingKey && !warned.has(handler)) warn();
    };
    if (isOn) state?.afterGuards(afterGuards);
    else if (othersFollow(execution)) warn();
  };
}

/** Whether the route has other guards after the first one for a flag. A controller's run first. */
function othersFollow(execution: ExecutionContext): boolean {
  const guards = [execution.getClass(), execution.getHandler()].flatMap((target): unknown[] => {
    const found: unknown = Reflect.getMetadata(GUARDS, target);
    return Array.isArray(found) ? found : [];
  });
  return guards.slice(guards.findIndex(isForFlag)).some((guard) => !isForFlag(guard));
}

function isForFlag(guard: unknown): boolean {
  return typeof guard === 'function' && Object.hasOwn(guard, FLAG_GUARD);
}
