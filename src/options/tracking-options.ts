import * as v from 'valibot';
import { callable, members, milliseconds, type RulesOf } from './value-rules.js';

/** Plain JSON values. */
export type TrackingEvent = ExposureEvent | TrackEvent;

export interface TrackingEventBase {
  /** A UUID, which stays if the event is sent again. */
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
  /** Those that the option `tracking.attributes` names. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A user got a variant of a flag. */
export interface ExposureEvent extends TrackingEventBase {
  readonly kind: 'exposure';
  /** Or what the option `tracking.user` gives in its place. */
  readonly targetingKey: string;
  readonly flagKey: string;
  /** Its key; `true` or `false` for a boolean flag. */
  readonly variant: string;
  /** What the app asked for. */
  readonly valueType: 'boolean' | 'string' | 'number' | 'object';
  /** OpenFeature's reason, such as `TARGETING_MATCH`, `SPLIT` or `CACHED`. */
  readonly reason: string;
  readonly namespace: string;
  readonly environment?: string;
  /** Of the snapshot that the provider evaluated; absent if Flipt evaluated the flag. */
  readonly version?: string;
}

/** The app called `client.track`. */
export interface TrackEvent extends TrackingEventBase {
  readonly kind: 'track';
  readonly name: string;
  /** Or what the option `tracking.user` gives in its place; absent if the context has none. */
  readonly targetingKey?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Flipt itself takes no tracking events. */
export interface TrackingOptions {
  /**
   * Gets at most 100 events, and within 5 seconds; no resolve waits for it or fails because of it. What it did not
   * take, because it threw, rejected or took over 10 seconds, is sent again after pauses of up to 60 seconds. At most
   * 1,000 events (1 MB) wait; the oldest exposures make room.
   */
  readonly send: (events: readonly TrackingEvent[]) => unknown;
  /** Which attributes of the context events have. Default: none. */
  readonly attributes?: readonly string[] | undefined;
  /** Of which flags exposures are sent. Default: all. */
  readonly flags?: readonly string[] | ((flagKey: string) => boolean) | undefined;
  /** The same exposure is not sent again for so long, among the last 10,000. Default 3600000 (1 hour). */
  readonly onceForMs?: number | undefined;
  /** What events have in place of the `targetingKey`, for example its hash. Default: the `targetingKey` itself. */
  readonly user?: ((targetingKey: string) => string) | undefined;
}

const keys = v.array(v.string('the key of a flag'), 'a list of flag keys');
const FLAGS = 'a list of flag keys, or a function';

export const trackingRule = members({
  send: callable<TrackingOptions['send']>('a function that receives events'),
  attributes: v.optional(v.array(v.string('the name of an attribute'), 'a list of attribute names'), []),
  flags: v.optional(
    v.lazy((given) => (Array.isArray(given) ? keys : callable<(flagKey: string) => boolean>(FLAGS))),
  ),
  onceForMs: v.optional(milliseconds(0), 3_600_000),
  user: v.optional(callable<NonNullable<TrackingOptions['user']>>('a function that takes a targetingKey')),
} satisfies RulesOf<TrackingOptions>);

export type TrackingSettings = v.InferOutput<typeof trackingRule>;
