import * as v from 'valibot';
import { milliseconds, onOffOr, whole, type RulesOf } from '../../options/shapes.js';

/**
 * How changes are pushed to browsers. Each event is repeated when all instances have polled, because the browser's
 * request may have reached one that had not: 18 s later by default. A stream ends after an hour or two, and with the
 * provider. A reader that has stalled is dropped. A page of another origin gets a 403; over plain `http:`, where browsers
 * do not say who asks, so does a page that sends no Referer. Such a page polls.
 */
export interface PushOptions {
  /**
   * The most streams that are open at a time in this process. A browser above it gets one event, and comes back after
   * 20 s. A whole number, at least 1. Default 5000.
   */
  readonly maxStreams?: number | undefined;
  /**
   * The most of them for one `targetingKey`. Raise it if many share one. Visitors without one share a tenth of
   * `maxStreams`, and each address has so many of these; without an `address`, they count as one user. A whole number, at
   * least 1. Default 8.
   */
  readonly maxStreamsPerUser?: number | undefined;
  /**
   * The most of them for one address, or one IPv6 network of 64 bits; the option `address` says which one. A whole
   * number, at least 1. Default 250.
   */
  readonly maxStreamsPerAddress?: number | undefined;
  /**
   * After a change, browsers fetch their flags over so many milliseconds, or over 1 ms for each open stream if that is
   * less. 0: all at once. Default 5000.
   */
  readonly jitterMs?: number | undefined;
  /**
   * The path of the stream as the browser must ask for it, if a proxy removes a part of it on the way. Default: the path
   * of the request for all flags.
   */
  readonly requestUri?: string | undefined;
}

const pathOnly = 'a path that begins with one slash';

export const pushRule = onOffOr(
  {
    maxStreams: v.optional(whole(1, 'streams'), 5000),
    maxStreamsPerUser: v.optional(whole(1, 'streams'), 8),
    maxStreamsPerAddress: v.optional(whole(1, 'streams'), 250),
    jitterMs: v.optional(milliseconds(0), 5000),
    // An address with two slashes or a backslash would lead to another host.
    requestUri: v.optional(v.pipe(v.string(pathOnly), v.regex(/^\/(?:[^/\\\s][^\\\s]*)?$/, pathOnly))),
  } satisfies RulesOf<PushOptions>,
  false,
);

export type PushSettings = NonNullable<v.InferOutput<typeof pushRule>>;
