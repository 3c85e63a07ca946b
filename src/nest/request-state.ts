import { OpenFeature, type EvaluationContext } from '@openfeature/server-sdk';
import { REQUEST_VIEW, requestContext, requestView, type ClosingResponse } from '../index.js';
import { lazyContext } from './lazy-context.js';
import type { FliptModuleOptions } from './module-options.js';

/** Under it a request, and its context, carry their state; all copies of this package share it. */
const STATE = Symbol.for('openfeature-flipt-provider.nest-request');

/** What is known of one request. */
export interface RequestState {
  /** Put together at the request's first resolve. */
  readonly context: EvaluationContext;
  readonly domain: string | undefined;
  readonly add: (partial: EvaluationContext) => void;
}

export interface Exchange {
  /** The request as handlers see it. */
  readonly request: object;
  /** Node's own request and response: the view is kept on the one, and ends when the other closes. */
  readonly raw: { readonly request: object; readonly response: ClosingResponse };
}

export function openRequestState({ request, raw }: Exchange, options: FliptModuleOptions): RequestState {
  const { domain, prefetch } = options;
  const view = requestView(raw.request, raw.response);
  const outer = OpenFeature.getTransactionContext();
  const added: EvaluationContext = {};
  let own: EvaluationContext | undefined;

  const attributes = () => {
    own ??= ownContext(request, options);
    const flagKeys = typeof prefetch === 'function' ? prefetch(request) : prefetch;
    return requestContext({ ...outer, ...own, ...added }, { view, domain, prefetch: flagKeys });
  };
  const known: EvaluationContext = { [REQUEST_VIEW]: view };
  const { context, refresh } = lazyContext(known, attributes);
  const state: RequestState = {
    context,
    domain,
    add(partial) {
      Object.assign(added, partial);
      refresh();
    },
  };
  // Not enumerable: a copy of the context is not the one that this state adds to.
  for (const carrier of [known, request]) {
    Object.defineProperty(carrier, STATE, { value: state, configurable: true });
  }
  return state;
}

/** The state that a request or its context carries. */
export function requestStateOf(carrier: unknown): RequestState | undefined {
  if (typeof carrier !== 'object' || carrier === null) return undefined;
  return (carrier as { readonly [STATE]?: RequestState })[STATE];
}

/** The state of the request that this code runs in. */
export function currentRequestState(): RequestState | undefined {
  return requestStateOf(OpenFeature.getTransactionContext());
}

function ownContext(request: object, options: FliptModuleOptions): EvaluationContext {
  const context: unknown = options.context?.(request) ?? {};
  if (isContext(context)) return context;
  if (!(context instanceof Promise)) {
    throw new TypeError(`FliptModule: context: expected an object, got ${typeof context}`);
  }
  // It is of no use, however it ends.
  context.catch(() => undefined);
  throw new TypeError(
    'FliptModule: context: must not be async; let a guard or a middleware put on the request what takes time',
  );
}

function isContext(value: unknown): value is EvaluationContext {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise);
}
