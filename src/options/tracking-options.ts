import * as v from 'valibot';
import { callable, members, milliseconds, type RulesOf } from './value-rules.js';

/** An event for `tracking.send`, in plain JSON values. `kind` says which one it is. */
export type TrackingEvent = ExposureEvent | TrackEvent;

/** What both kinds of events hold. */
export interface TrackingEventBase {
  /** A UUID. An event that is sent again keeps it, so that a receiver can drop what it has already. */
  readonly id: string;
  /** When it happened: ISO 8601, in UTC. */
  readonly time: string;
  /** The attributes of the context that `tracking.attributes` names. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A user got a variant of a flag. */
export interface ExposureEvent extends TrackingEventBase {
  /** What happened. */
  readonly kind: 'exposure';
  /** The `targetingKey` of the context, or what `tracking.user` makes of it. */
  readonly targetingKey: string;
  /** The flag's key. */
  readonly flagKey: string;
  /** The variant's key; `true` or `false` of a boolean flag. */
  readonly variant: string;
  /** The type of value that was asked for. */
  readonly valueType: 'boolean' | 'string' | 'number' | 'object';
  /** OpenFeature's reason, such as `TARGETING_MATCH`, `SPLIT` or `CACHED`. */
  readonly reason: string;
  /** The key of the flag's namespace. */
  readonly namespace: string;
  /** The environment of Flipt v2; absent if none is configured. */
  readonly environment?: string;
  /** The version of the snapshot that the flag was evaluated from; absent if Flipt evaluated it. */
  readonly version?: string;
}

/** The application called `client.track`. */
export interface TrackEvent extends TrackingEventBase {
  /** What happened. */
  readonly kind: 'track';
  /** The name that `track` was called with. */
  readonly name: string;
  /** As of an exposure; absent if the context has none. */
  readonly targetingKey?: string;
  /** The details that `track` was called with, such as a numeric `value`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Where the provider sends who saw which variant, and what OpenFeature's `client.track` was called with. Flipt takes no
 * such events.
 */
export interface TrackingOptions {
  /**
   * Gets events in the order in which they happened, at most 100 at a time, and may be asynchronous. It is called every
   * 5 seconds and for each 100 events, one call at a time. A call that throws, rejects or takes more than 10 seconds is
   * repeated after 1 second, then after up to 60, with the same ids. At most 1,000 events (1 MB) wait; beyond that, the
   * oldest exposures are lost first. No resolve waits for it, and none fails by it.
   */
  readonly send: (events: readonly TrackingEvent[]) => unknown;
  /** Names of the attributes of the context that an event holds. Default: none. */
  readonly attributes?: readonly string[] | undefined;
  /** The keys of the flags whose exposures are sent, or a function that each resolve asks. Default: all. */
  readonly flags?: readonly string[] | ((flagKey: string) => boolean) | undefined;
  /**
   * Milliseconds for which an exposure of the same user, flag and variant is not sent again. The last 10,000 are
   * remembered. Default 3600000 (1 hour).
   */
  readonly onceForMs?: number | undefined;
  /** What an event holds in place of the `targetingKey`, for example a hash. Default: the `targetingKey` itself. */
  readonly user?: ((targetingKey: string) => string) | undefined;
}

const keys = v.array(v.string('the key of a flag'), 'a list of flag keys');
const FLAGS = 'a list of flag keys, or a function';

export const trackingRule = members({
  send: callable<TrackingOptions['send']>('a function that gets events'),
  attributes: v.optional(v.array(v.string('the name of an attribute'), 'a list of attribute names'), []),
  flags: v.optional(
    v.lazy((given) => (Array.isArray(given) ? keys : callable<(flagKey: string) => boolean>(FLAGS))),
  ),
  onceForMs: v.optional(milliseconds(0), 3_600_000),
  user: v.optional(callable<NonNullable<TrackingOptions['user']>>('a function of a targetingKey')),
} satisfies RulesOf<TrackingOptions>);

export type TrackingSettings = v.InferOutput<typeof trackingRule>;
