import { isObject } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { Resolution } from '../../model/answer.js';

/**
 * The symbol under which an evaluation context carries a request's view. Within a view, a flag that is asked for twice
 * with the same context has the same answer. All copies of this package share the symbol, and the symbol survives
 * MultiProvider and the SDK's merging of contexts. The view also works where an AsyncLocalStorage has lost its context.
 */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/**
 * A request's view of its flags. The view holds no answers itself. Each provider keeps up to 1,000 answers of the view
 * until the view has ended, but no longer than 30 s. A failure is not kept, so that the next resolve tries again.
 */
export interface RequestView {
  /** Set this to `true` when the request is over. The view's answers are not used after `ended` has become `true`. */
  ended: boolean;
}

/**
 * The part of an HTTP response that a view uses. The response emits `close` when it has been sent, and also when the
 * client disconnects before that.
 */
export interface ClosingResponse {
  /** Adds a listener that is called once, as in Node's `EventEmitter`. */
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Opens a view that does not belong to an HTTP request, but to something else, such as a job. Set `ended` to `true`
 * when the job is over. Otherwise, the view ends by itself 30 s after its first question.
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

/** Returns the view of an HTTP request, which has only one. The view ends when the response closes. */
export function requestView(request: object, response: ClosingResponse): RequestView {
  const existing = requestViewOf(request);
  if (existing !== undefined) return existing;
  const view = openRequestView();
  // The view is stored on the request, so that adapters of different copies of this package share it. The property is
  // not enumerable, so that loggers do not show it.
  Object.defineProperty(request, REQUEST_VIEW, { value: view });
  response.once('close', () => {
    view.ended = true;
  });
  return view;
}

/** Returns the view of a context or a request, if there is one. */
export function requestViewOf(carrier: object): RequestView | undefined {
  const view = (carrier as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return isObject(view) && 'ended' in view ? (view as RequestView) : undefined;
}

/** A view ends by itself this many milliseconds after its first question. */
const VIEW_FOR_MS = 30_000;

/**
 * Makes a function that returns the same value for a request's view until the view has ended. The function takes the
 * value from `open`, and keeps the first value that is not `undefined`. When the function is called for a view that has
 * ended, the function releases the value of the view, and returns `undefined`.
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
      // A job that the request has started can hold the view for hours, but the answers must not stay in memory as
      // long.
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

/** Makes the function that returns the kept answers of a request's view. */
export function pinning(clock: Clock): (view: RequestView | undefined) => Pins | undefined {
  return perView(() => new Pins(clock), clock);
}

/** Holds the answers of one view. */
export class Pins {
  /** Each resolution, with the time of the clock from which the age of the resolution counts. */
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
