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
import { checkOptions } from '../../options/check-options.js';
import { isPromiseLike, kindReturned } from '../../base/text/describe.js';
import {
  callable,
  domain,
  rulesWithoutSecrets,
  trueOrFalse,
  type RulesOf,
} from '../../options/value-rules.js';
import { impliedDomain } from './app-providers.js';
import { noRequest, stateIn } from './request-state.js';

/** The options of {@link RequireFlag}. */
export interface RequireFlagOptions {
  /** The value that the guard uses if the flag cannot be resolved. */
  readonly default: boolean;
  /**
   * The OpenFeature domain of the flag. Default: the domain of the app's only `FliptModule`, or else the default
   * domain. If this option is missing, and the app has several modules but none for the default domain, the guard
   * throws an Error.
   */
  readonly domain?: string | undefined;
  /** Returns the exception for a request while the flag is off. Default: a 404, as for a route that does not exist. */
  readonly otherwise?: ((context: ExecutionContext) => Error) | undefined;
}

const RULES = rulesWithoutSecrets('RequireFlag', {
  default: trueOrFalse,
  domain,
  otherwise: v.optional(callable()),
} satisfies RulesOf<RequireFlagOptions>);

/**
 * Lets a request reach a handler, or any handler of a controller, only if a boolean flag has the value `true` for this
 * request. If the flag cannot be resolved, the option `default` decides.
 *
 * `@RequireFlag` is a guard. Nest runs the guards of a controller before the guards of a handler. If a controller or a
 * handler has several decorators with guards, Nest begins with the decorator at the bottom, so put `@RequireFlag` above
 * the guard that logs the user in. If the flag seems to be resolved before the login, the guard logs a warning. The
 * guard cannot notice a wrong order of the guards if the context has a `targetingKey` even before the login. Outside of
 * HTTP, the guard uses the current transaction context, and throws an Error if this context is empty. A wrong option
 * causes a TypeError where the decorator is applied.
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

/** The guard is a class, so that Nest can inject the app into the guard. */
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
      // If the guard threw a promise, the log of Nest would not say what is wrong, so the guard throws a TypeError
      // instead.
      if (!isPromiseLike(made)) throw made;
      throw new TypeError(`RequireFlag: otherwise: expected an Error, got ${kindReturned(made)}`);
    }
  }
  Inject(ModulesContainer)(FlagGuard, undefined, 0);
  Optional()(FlagGuard, undefined, 0);
  return FlagGuard;
}

/** Returns the exception that Nest throws for a route that does not exist. */
function notFound(executionContext: ExecutionContext): Error {
  if (executionContext.getType() !== 'http') return new NotFoundException();
  const { method, url } = executionContext.switchToHttp().getRequest<{ method: string; url: string }>();
  return new NotFoundException(`Cannot ${method} ${url}`);
}

/** The guards of `@RequireFlag` have a member under this symbol. All copies of this package share the symbol. */
export const FLAG_GUARD = Symbol.for('openfeature-flipt-provider.nest-flag-guard');

const GUARDS = '__guards__';

/**
 * Returns a function that warns once for each route whose flag seems to be resolved before the guard that logs the user
 * in. The order of the guards seems wrong if a request has no targetingKey at the flag's guard, but has one when all
 * guards have run. The order of the guards also seems wrong if the flag's guard refuses a request without a
 * targetingKey before other guards of the route have run.
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

/**
 * Returns whether other guards of the route run after the first guard of `@RequireFlag`. Nest runs the guards of the
 * controller before the guards of the handler.
 */
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
