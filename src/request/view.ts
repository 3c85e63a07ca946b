import type { Clock } from '../clock.js';

/**
 * A request's view of its flags: within it, a flag asked twice for the same context answers the same.
 * It travels inside the evaluation context, under a symbol that all copies of this package share.
 */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/**
 * Holds nothing itself: each provider keeps the view's answers, up to 1,000, until the view has ended, and
 * no longer than 30 s. A failure is not kept: the next resolve tries again.
 */
export interface RequestView {
  /** Set when the request is over; its answers are not used after that. */
  ended: boolean;
}

/** What is used of a response: `close` is emitted when it is sent, and when the client goes away before. */
export interface ClosingResponse {
  /** As that of Node's `EventEmitter`. */
  once(event: 'close', listener: () => void): unknown;
}

/**
 * A view that belongs to no HTTP request, for example to a job. Set `ended` when the job is over. The view ends by
 * itself 30 s after its first question.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { openRequestView, requestContext } from 'openfeature-flipt-provider';
 *
 * const view = openRequestView();
 * const client = OpenFeature.getClient(requestContext({ targetingKey: 'job-7' }, { view }));
 * console.log(await client.getBooleanValue('new-checkout', false));
 * view.ended = true;
 * ```
 */
export function openRequestView(): RequestView {
  return { ended: false };
}

/** The one view of an HTTP request, which ends when its response closes. */
export function requestView(request: object, response: ClosingResponse): RequestView {
  const known = requestViewOf(request);
  if (known !== undefined) return known;
  const view = openRequestView();
  // On the request itself, so that adapters of different copies of this package share it. Not seen by loggers.
  Object.defineProperty(request, REQUEST_VIEW, { value: view });
  response.once('close', () => {
    view.ended = true;
  });
  return view;
}

/** The view that a context or a request carries, if it carries one. */
export function requestViewOf(carrier: object): RequestView | undefined {
  const view = (carrier as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return typeof view === 'object' && view !== null && 'ended' in view ? (view as RequestView) : undefined;
}

/** Milliseconds after its first question until a view ends by itself. Before that question it holds nothing. */
const VIEW_FOR_MS = 30_000;

/**
 * Keeps something for each request's view, from when there is something. It goes with the view, or once that has ended:
 * then it is `undefined`.
 */
export function perView<Kept>(
  open: () => Kept | undefined,
  clock: Clock,
): (view: { readonly ended: boolean }) => Kept | undefined {
  const views = new WeakMap<object, { readonly kept: Kept; readonly since: number } | 'over'>();
  return (view) => {
    const known = views.get(view);
    if (known === 'over') return undefined;
    if (view.ended || (known !== undefined && clock.now() - known.since >= VIEW_FOR_MS)) {
      // A job that the request has started may hold the view for hours. The answers kept for it are released.
      views.set(view, 'over');
      return undefined;
    }
    if (known !== undefined) return known.kept;
    const kept = open();
    if (kept === undefined) return undefined;
    views.set(view, { kept, since: clock.now() });
    return kept;
  };
}
