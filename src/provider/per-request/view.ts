import { isObject } from '../../base/text/describe.js';
import type { Clock } from '../../base/time/clock.js';
import type { Resolution } from '../../model/answer.js';

/** Where a context carries its {@link RequestView}. The SDK and MultiProvider keep it when they merge contexts. */
export const REQUEST_VIEW: unique symbol = Symbol.for('openfeature-flipt-provider.request-view') as never;

/**
 * Stands for one request or job of the app: while it lasts, a flag has the same value for the same context. It lasts
 * until 30 s after its first evaluation. Failures are not kept: the next evaluation tries again.
 */
export interface RequestView {
  readonly isRequestView: true;
}

/** For work that is not an HTTP request, such as a job. */
export function openRequestView(): RequestView {
  return { isRequestView: true };
}

/** The view of an HTTP request, the same one for each call. */
export function requestView(request: object): RequestView {
  const existing = requestViewOf(request);
  if (existing !== undefined) return existing;
  const view = openRequestView();
  // Not enumerable: loggers do not print it.
  Object.defineProperty(request, REQUEST_VIEW, { value: view });
  return view;
}

export function requestViewOf(carrier: object): RequestView | undefined {
  const view = (carrier as { readonly [REQUEST_VIEW]?: unknown })[REQUEST_VIEW];
  return isObject(view) && 'isRequestView' in view ? (view as RequestView) : undefined;
}

const VIEW_FOR_MS = 30_000;

/** Keeps one value for each view. A request may last for hours, but the views of later ones release its value. */
export function perView<Kept>(open: () => Kept | undefined, clock: Clock) {
  const ends = new WeakMap<RequestView, number>();
  let older = new WeakMap<RequestView, Kept>();
  let newer = new WeakMap<RequestView, Kept>();
  let turnAt = -Infinity;
  return (view: RequestView | undefined): Kept | undefined => {
    if (view === undefined) return undefined;
    const now = clock.now();
    const until = ends.get(view);
    if (until !== undefined) return now < until ? (newer.get(view) ?? older.get(view)) : undefined;
    const kept = open();
    if (kept === undefined) return undefined;
    if (now >= turnAt) {
      [older, newer] = [newer, new WeakMap()];
      turnAt = now + VIEW_FOR_MS;
    }
    ends.set(view, now + VIEW_FOR_MS);
    newer.set(view, kept);
    return kept;
  };
}

const MOST_ANSWERS = 1_000;

export function pinning(clock: Clock): (view: RequestView | undefined) => Pins | undefined {
  return perView(() => new Pins(clock), clock);
}

/** The answers of one view, by cache key. */
export class Pins {
  private readonly pinned = new Map<string, { readonly resolution: Resolution; readonly since: number }>();

  constructor(private readonly clock: Clock) {}

  get(key: string): Resolution | undefined {
    const pinned = this.pinned.get(key);
    return pinned && { ...pinned.resolution, source: 'cache', ageMs: this.clock.now() - pinned.since };
  }

  /** The first answer for a key stays. */
  pin(key: string, resolution: Resolution): Resolution {
    const before = this.get(key);
    if (before !== undefined) return before;
    if (resolution.answer.kind !== 'failed' && this.pinned.size < MOST_ANSWERS)
      this.pinned.set(key, { resolution, since: this.clock.now() - resolution.ageMs });
    return resolution;
  }
}
