import { isObject } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { Resolution } from '../../model/answer.js';

/**
 * The symbol under which an evaluation context carries the view of an HTTP request. Within one view, all evaluations of
 * a flag with the same context usually have the same result. All copies of this package share the symbol. MultiProvider
 * keeps the symbol, and so does the SDK when it merges contexts. A view in a context also works where an
 * AsyncLocalStorage has lost its store.
 */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/**
 * Identifies one HTTP request to the app, so that a flag usually has the same value for the same context during the
 * whole request. The view itself contains no answers. In remote mode, each provider keeps up to 1,000 answers for a
 * view until the view has ended, but at most for 30 s. In-process, each provider keeps one snapshot for a view for the
 * same time. A provider does not keep failures, so that the next resolve tries again.
 */
export interface RequestView {
  /**
   * Set this member to `true` when the request is over. When `ended` is `true`, the provider no longer uses the answers
   * or the snapshot that it has kept for the view.
   */
  ended: boolean;
}

/**
 * The only part of an HTTP response that a view needs. A response emits `close` when it has been sent, and also when
 * the client disconnects earlier.
 */
export interface ClosingResponse {
  /** Adds a listener that is called once, as in Node's `EventEmitter`. */
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Opens a view for work that is not an HTTP request, such as a job. Set `ended` to `true` when the job is over. If
 * `ended` stays `false`, the provider treats the view as ended 30 s after its first evaluation.
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

/**
 * Returns the view of an HTTP request, and creates the view in the first call for the request. The view ends when the
 * response emits `close`.
 */
export function requestView(request: object, response: ClosingResponse): RequestView {
  const existing = requestViewOf(request);
  if (existing !== undefined) return existing;
  const view = openRequestView();
  // The request object carries the view, so that adapters from different copies of this package find the same view. The
  // property is not enumerable, so that loggers do not print it.
  Object.defineProperty(request, REQUEST_VIEW, { value: view });
  response.once('close', () => {
    view.ended = true;
  });
  return view;
}

/** Returns the view that a context or an HTTP request carries, or `undefined` if there is no view. */
export function requestViewOf(carrier: object): RequestView | undefined {
  const view = (carrier as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return isObject(view) && 'ended' in view ? (view as RequestView) : undefined;
}

/** A view counts as ended this many milliseconds after its first evaluation, even if `ended` is still `false`. */
const VIEW_FOR_MS = 30_000;

/**
 * Makes a function that returns one value for each view. The first call with a view takes the value from `open`, and
 * later calls return the same value until the view has ended. If `open` returns `undefined`, the next call with the
 * view calls `open` again. If the view has ended, the made function releases the value and returns `undefined`.
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
      // Code that the request has started can hold a reference to the view for hours, but the value of the view must
      // not stay in memory for so long.
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

/**
 * Makes a function that returns the `Pins` of a view, to which the caller can add answers, or `undefined` if the view
 * has ended or is `undefined`.
 */
export function pinning(clock: Clock): (view: RequestView | undefined) => Pins | undefined {
  return perView(() => new Pins(clock), clock);
}

/** Holds the answers of one view. */
export class Pins {
  /** For each cache key, a resolution and the time of the clock from which the age of the resolution counts. */
  private readonly pinned = new Map<string, { readonly resolution: Resolution; readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  get(key: string): Resolution | undefined {
    const pinned = this.pinned.get(key);
    return pinned && { ...pinned.resolution, source: 'cache', ageMs: this.clock.now() - pinned.since };
  }

  /**
   * Stores the first successful resolution for the key, and returns that resolution in later calls with the key.
   * Failures are not stored, and a full view stores nothing more.
   */
  pin(key: string, resolution: Resolution): Resolution {
    const before = this.get(key);
    if (before !== undefined) return before;
    if (resolution.answer.kind !== 'failed' && this.pinned.size < MAX_ANSWERS)
      this.pinned.set(key, { resolution, since: this.clock.now() - resolution.ageMs });
    return resolution;
  }
}
