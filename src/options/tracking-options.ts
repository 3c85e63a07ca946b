import * as v from 'valibot';
import { callable, members, milliseconds, type RulesOf } from './value-rules.js';

/** An event for `tracking.send`, made of plain JSON values. Its `kind` says which one it is. */
export type TrackingEvent = ExposureEvent | TrackEvent;

/** The members that both kinds of events have. */
export interface TrackingEventBase {
  /** A UUID. An event that is sent again keeps it, so that a receiver can drop what it already has. */
  readonly id: string;
  /** When it happened, in ISO 8601, in UTC. */
  readonly time: string;
  /** The attributes of the context, as far as `tracking.attributes` names them. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Says that a user got a variant of a flag. */
export interface ExposureEvent extends TrackingEventBase {
  /** The kind of event. */
  readonly kind: 'exposure';
  /** The `targetingKey` of the context, or what `tracking.user` has made of it. */
  readonly targetingKey: string;
  /** The flag's key. */
  readonly flagKey: string;
  /** The variant's key. Of a boolean flag, it is `true` or `false`. */
  readonly variant: string;
  /** The type of value that the app asked for. */
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

/** Says that the app called `client.track`. */
export interface TrackEvent extends TrackingEventBase {
  /** The kind of event. */
  readonly kind: 'track';
  /** The name that `track` was called with. */
  readonly name: string;
  /** The `targetingKey` of the context, or what `tracking.user` has made of it; absent if the context has none. */
  readonly targetingKey?: string;
  /** The details that `track` was called with, such as a numeric `value`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Where the provider sends who saw which variant, and what OpenFeature's `client.track` was called with. Flipt itself
 * takes no such events.
 */
export interface TrackingOptions {
  /**
   * Receives events in the order in which they happened, at most 100 at a time. The function may be asynchronous. The
   * provider calls it every 5 seconds and for each 100 events, one call at a time. A call that throws, rejects or takes
   * more than 10 seconds is repeated with the same ids: after 1 second, then after longer and longer pauses of up to 60
   * seconds. At most 1,000 events (1 MB) wait. Beyond that, the oldest exposures are lost first. No resolve waits for
   * this function, and none fails because of it.
   */
  readonly send: (events: readonly TrackingEvent[]) => unknown;
  /** The names of the context's attributes that an event holds. Default: none. */
  readonly attributes?: readonly string[] | undefined;
  /**
   * The flags whose exposures are sent: their keys, or a function that each resolve calls with the key. Default: all.
   */
  readonly flags?: readonly string[] | ((flagKey: string) => boolean) | undefined;
  /**
   * For how many milliseconds an exposure of the same user, flag and variant is not sent again. The last 10,000
   * exposures are remembered. Default 3600000 (1 hour).
   */
  readonly onceForMs?: number | undefined;
  /**
   * Returns what an event holds in place of the `targetingKey`, for example a hash. Default: the `targetingKey` itself.
   */
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
