import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { Logger } from '@nestjs/common';
import { OpenFeature, type EvaluationContext, type Hook } from '@openfeature/server-sdk';
import { isPromiseLike, kindReturned, messageOf } from '../../base/text/describe.js';
import { checkContext, checkFlagKeys } from '../../options/check-arguments.js';
import { REQUEST_VIEW, requestContext, requestView } from 'openfeature-flipt-provider';
import type { FliptModuleOptions } from './options.js';

/** The request in which code runs. `undefined` where there is none, and while `context` itself runs. */
const requests = new AsyncLocalStorage<NestRequest | undefined>();

export const currentRequest = () => requests.getStore();

/** A hook, because the interceptor of \@openfeature/nestjs-sdk replaces the transaction context by an empty one. */
const requestHook: Hook = {
  before({ context: given }) {
    return currentRequest()?.below(given);
  },
};

/** `raw` is Node's own request, where Fastify's differs from it. */
export function runRequest(
  options: FliptModuleOptions,
  request: object,
  raw: object,
  next: () => void,
): void {
  // For each request: an app may clear its hooks.
  if (!OpenFeature.getHooks().includes(requestHook)) OpenFeature.addHooks(requestHook);
  requests.run(new NestRequest(options, request, raw, currentRequest()), next);
}

class NestRequest {
  private readonly before = OpenFeature.getTransactionContext();
  private readonly added: EvaluationContext = {};
  private prefetchedFor: EvaluationContext | undefined;

  constructor(
    private readonly options: FliptModuleOptions,
    private readonly request: object,
    private readonly raw: object,
    /** What another FliptModule of the app, for another domain, knows of this request. */
    private readonly outer: NestRequest | undefined,
  ) {}

  /** The domain for code that names none: that of the app's only FliptModule. */
  get domain(): string | undefined {
    return this.outer === undefined ? this.options.domain : undefined;
  }

  add(partial: EvaluationContext): void {
    Object.assign(this.added, partial);
  }

  /**
   * The request comes after the contexts of the API and of what ran before it. What code in it gives wins: another
   * transaction context, a client, a call.
   */
  below(given: EvaluationContext): EvaluationContext {
    const ofRequest = this.evaluationContext();
    const transaction = OpenFeature.getTransactionContext();
    const isOurs = Reflect.get(transaction, REQUEST_VIEW) === requestView(this.raw);
    const weaker = { ...OpenFeature.getContext(), ...this.before, ...(isOurs && transaction) };
    const stronger = Object.entries(given).filter(([name, value]) => value !== weaker[name]);
    return { ...ofRequest, ...Object.fromEntries(stronger) };
  }

  evaluationContext(): EvaluationContext {
    try {
      const user = this.user();
      const isNew = !isDeepStrictEqual(user, this.prefetchedFor);
      const context = requestContext(user, {
        view: requestView(this.raw),
        prefetch: isNew ? this.flagKeys() : undefined,
      });
      this.prefetchedFor = user;
      return context;
    } catch (error) {
      new Logger('FliptModule').error(`A flag gets its default: ${messageOf(error)}`);
      throw error;
    }
  }

  private user(): EvaluationContext {
    const { options, request, outer } = this;
    const own: unknown = requests.run(undefined, () => options.context?.(request)) ?? {};
    if (isPromiseLike(own)) {
      throw new TypeError(
        `FliptModule: context: expected a function that is not async, got ${kindReturned(own)}; ` +
          'do slow work in a guard or a middleware, and put the result on the request',
      );
    }
    checkContext('FliptModule: context', own);
    return { ...outer?.user(), ...(own as EvaluationContext), ...this.added };
  }

  private flagKeys(): readonly string[] {
    const { prefetch = [] } = this.options;
    const own = typeof prefetch === 'function' ? prefetch(this.request) : prefetch;
    checkFlagKeys('FliptModule: prefetch', own);
    return [...(this.outer?.flagKeys() ?? []), ...own];
  }
}

export function noRequest(owner: string): Error {
  return new Error(
    `${owner}: this code does not run in a request whose context is known; ` +
      'import FliptModule.forRoot, and await what runs in a request; elsewhere (WebSocket, RPC, cron), ' +
      'call it in runInTransactionContext(context, …)',
  );
}

/**
 * Adds attributes to the context of the current request, for its later evaluations. Throws an Error outside of a
 * request.
 *
 * @example
 * ```ts
 * import { setRequestContext } from 'openfeature-flipt-provider/nest';
 *
 * setRequestContext({ plan: 'pro' });
 * ```
 */
export function setRequestContext(partial: EvaluationContext): void {
  checkContext('setRequestContext', partial);
  const request = currentRequest();
  if (request === undefined) throw noRequest('setRequestContext');
  request.add(partial);
}

/**
 * The context of the current request, for code that reads no hooks: `client.track`, and libraries that take such a
 * function. Outside of a request, it is the transaction context. Throws what the option `context` throws.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { contextFactory } from 'openfeature-flipt-provider/nest';
 *
 * OpenFeature.getClient().track('purchase', contextFactory(), { value: 99.5 });
 * ```
 */
export function contextFactory(): EvaluationContext {
  return currentRequest()?.evaluationContext() ?? OpenFeature.getTransactionContext();
}
