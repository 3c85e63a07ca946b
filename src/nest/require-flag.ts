import { NotFoundException, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OpenFeature } from '@openfeature/server-sdk';
import * as v from 'valibot';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { callable, members, trueOrFalse } from '../options/option-shapes.js';
import { NO_REQUEST, stateIn } from './set-request-context.js';

/** What {@link RequireFlag} may be told. */
export interface RequireFlagOptions {
  /** Taken where the flag cannot be resolved. */
  readonly default: boolean;
  /** What a request is refused with while the flag is off. Default: 404, as for a route that does not exist. */
  readonly otherwise?: ((context: ExecutionContext) => Error) | undefined;
}

const RULES: OptionRules = {
  owner: 'RequireFlag',
  shape: members({ default: trueOrFalse, otherwise: v.optional(callable()) }),
  showsText: () => true,
};

/**
 * Lets requests in to a handler, or to all of a controller, only while a boolean flag is on for them.
 *
 * It is a guard, and guards run in the order of their decorators from the bottom up, a controller's before a handler's:
 * put it above the guard that finds out who the user is. A wrong option is a TypeError where it is applied.
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

function flagGuard(
  flag: string,
  { default: fallback, otherwise = notFound }: RequireFlagOptions,
): CanActivate {
  return {
    async canActivate(executionContext) {
      const state = stateIn(executionContext);
      if (state === undefined) throw new Error(`@RequireFlag('${flag}'): ${NO_REQUEST}`);
      const client =
        state.domain === undefined ? OpenFeature.getClient() : OpenFeature.getClient(state.domain);
      if (await client.getBooleanValue(flag, fallback, state.context)) return true;
      throw otherwise(executionContext);
    },
  };
}

/** What Nest itself says of a route that does not exist. */
function notFound(executionContext: ExecutionContext): Error {
  const { method, url } = executionContext.switchToHttp().getRequest<{ method: string; url: string }>();
  return new NotFoundException(`Cannot ${method} ${url}`);
}
