/**
 * A request's view of its flags: within it, a flag asked twice for the same context answers the same.
 * It travels inside the evaluation context, under a symbol that all copies of this package share.
 */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/** Holds nothing itself: each provider keeps what it has told a view, for as long as the view lives. */
export interface RequestView {
  /** Set when the request is over; its answers are then no longer held to. */
  ended: boolean;
}

export function openRequestView(): RequestView {
  return { ended: false };
}

/** The view that a context carries, if it carries one. */
export function requestViewOf(context: object): RequestView | undefined {
  const view = (context as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return typeof view === 'object' && view !== null && 'ended' in view ? (view as RequestView) : undefined;
}
