import { isObject } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { Resolution } from '../../model/answer.js';

/**
 * A request's view of its flags: within it, a flag that is asked for twice with the same context has the same answer.
 * The evaluation context carries it under this symbol, which all copies of this package share, and which survives the
 * SDK's merging of contexts and MultiProvider. It also works where an AsyncLocalStorage has lost its context.
 */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/**
 * Holds no answers itself. Each provider keeps up to 1,000 answers of the view until the view has ended, and no longer
 * than 30 s. A failure is not kept: the next resolve tries again.
 */
export interface RequestView {
  /** Set it when the request is over. The view's answers are not used after that. */
  ended: boolean;
}

/**
 * The part of a response that is used. It emits `close` when it has been sent, and when the client disconnects before
 * that.
 */
export interface ClosingResponse {
  /** As in Node's `EventEmitter`. */
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

/** The only view of an HTTP request. It ends when the response closes. */
export function requestView(request: object, response: ClosingResponse): RequestView {
  const existing = requestViewOf(request);
  if (existing !== undefined) return existing;
  const view = openRequestView();
  // Stored on the request, so that adapters of different copies of this package share it. Not enumerable, so loggers do
  // not show it.
  Object.defineProperty(request, REQUEST_VIEW, { value: view });
  response.once('close', () => {
    view.ended = true;
  });
  return view;
}

/** The view of a context or a request, if there is one. */
export function requestViewOf(carrier: object): RequestView | undefined {
  const view = (carrier as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return isObject(view) && 'ended' in view ? (view as RequestView) : undefined;
}

/** Milliseconds from a view's first question until the view ends by itself. */
const VIEW_FOR_MS = 30_000;

/**
 * Keeps a value for each request's view, from the first time that `open` gives one. After the view has ended, the value
 * is released and the result is `undefined`.
 */
export function perView<Kept>(
  open: () => Kept | undefined,
  clock: Clock,
): (view: { readonly ended: boolean } | undefined) => Kept | undefined {
  const views = new WeakMap<object, { readonly kept: Kept; readonly since: number } | 'over'>();
  return (view) => {
    if (view === undefined) return undefined;
    const held = views.get(view);
    if (held === 'over') return undefined;
    if (view.ended || (held !== undefined && clock.now() - held.since >= VIEW_FOR_MS)) {
      // A job that the request has started may hold the view for hours, but not its answers.
      views.set(view, 'over');
      return undefined;
    }
    if (held !== undefined) return held.kept;
    const kept = open();
    if (kept === undefined) return undefined;
    views.set(view, { kept, since: clock.now() });
    return kept;
  };
}

const MAX_ANSWERS = 1_000;

/** Keeps the answers of each request's view. */
export function pinning(clock: Clock): (view: RequestView | undefined) => Pins | undefined {
  return perView(() => new Pins(clock), clock);
}

/** The answers of one view. */
export class Pins {
  /** With the time of the clock from which its age counts. */
  private readonly pinned = new Map<string, { readonly resolution: Resolution; readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  get(key: string): Resolution | undefined {
    const pinned = this.pinned.get(key);
    return pinned && { ...pinned.resolution, source: 'cache', ageMs: this.clock.now() - pinned.since };
  }

  /** Keeps the first success for the key, and returns it from then on. A failure is not kept. */
  pin(key: string, resolution: Resolution): Resolution {
    const before = this.get(key);
    if (before !== undefined) return before;
    if (resolution.answer.kind !== 'failed' && this.pinned.size < MAX_ANSWERS)
      this.pinned.set(key, { resolution, since: this.clock.now() - resolution.ageMs });
    return resolution;
  }
}
