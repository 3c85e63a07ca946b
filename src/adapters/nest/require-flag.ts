import { NotFoundException, UseGuards, type ExecutionContext } from '@nestjs/common';
import { OpenFeature } from '@openfeature/server-sdk';
import * as v from 'valibot';
import { isPromiseLike, kindReturned } from '../../base/text/describe.js';
import { checkOptions } from '../../options/check-options.js';
import { callable, domain, optionRules, trueOrFalse, type RulesOf } from '../../options/value-rules.js';
import { currentRequest, noRequest } from './context.js';

/** A wrong or unknown option is a TypeError where the decorator is applied. */
export interface RequireFlagOptions {
  /** Used if the flag cannot be evaluated. */
  readonly default: boolean;
  /** Default: the domain of the app's only `FliptModule`; with several, the default domain. */
  readonly domain?: string | undefined;
  /** The exception while the flag is off. Default: a 404, as for a route that does not exist. */
  readonly otherwise?: ((context: ExecutionContext) => Error) | undefined;
}

const RULES = optionRules('RequireFlag', {
  default: trueOrFalse,
  domain,
  otherwise: v.optional(callable<(context: ExecutionContext) => unknown>()),
} satisfies RulesOf<RequireFlagOptions>);

/**
 * A guard that lets a request reach a handler, or any handler of a controller, only while a boolean flag is on for its
 * user. Nest runs the guards of a handler from the bottom decorator up, so put `@RequireFlag` above the guard that logs
 * the user in. Outside of HTTP, it uses the transaction context, and throws an Error if that is empty.
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
  const { default: fallback, domain: given, otherwise = notFound } = checkOptions(RULES, options);
  return UseGuards({
    async canActivate(execution: ExecutionContext): Promise<boolean> {
      const request = currentRequest();
      if (request === undefined && Reflect.ownKeys(OpenFeature.getTransactionContext()).length === 0) {
        throw noRequest(`@RequireFlag('${flag}')`);
      }
      const domain = given ?? request?.domain;
      const client = domain === undefined ? OpenFeature.getClient() : OpenFeature.getClient(domain);
      if (await client.getBooleanValue(flag, fallback)) return true;
      const exception = otherwise(execution);
      if (!isPromiseLike(exception)) throw exception;
      // Nest's log would say nothing of a promise.
      throw new TypeError(`RequireFlag: otherwise: expected an Error, got ${kindReturned(exception)}`);
    },
  });
}

function notFound(execution: ExecutionContext): Error {
  if (execution.getType() !== 'http') return new NotFoundException();
  const { method, url } = execution.switchToHttp().getRequest<{ method: string; url: string }>();
  return new NotFoundException(`Cannot ${method} ${url}`);
}
