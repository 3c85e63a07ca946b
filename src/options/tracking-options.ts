import * as v from 'valibot';
import { callable, members, milliseconds, type RulesOf } from './value-rules.js';

/**
 * An event for `tracking.send`, made of plain JSON values. The member `kind` says whether the event is an exposure or a
 * call of `client.track`.
 */
export type TrackingEvent = ExposureEvent | TrackEvent;

/** The members that both kinds of events have. */
export interface TrackingEventBase {
  /** A UUID. An event that is sent again keeps its id, so that a receiver can drop events that it already has. */
  readonly id: string;
  /** The time at which the event happened, in ISO 8601 and UTC. */
  readonly time: string;
  /** Those attributes of the context that `tracking.attributes` names. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Says that a user got a variant of a flag. */
export interface ExposureEvent extends TrackingEventBase {
  /** The kind of event. */
  readonly kind: 'exposure';
  /** The `targetingKey` of the context, or the text that `tracking.user` has returned for it. */
  readonly targetingKey: string;
  /** The flag's key. */
  readonly flagKey: string;
  /** The variant's key. For a boolean flag, this is the text `true` or `false`. */
  readonly variant: string;
  /** The type of value that the app asked for. */
  readonly valueType: 'boolean' | 'string' | 'number' | 'object';
  /** OpenFeature's reason, such as `TARGETING_MATCH`, `SPLIT` or `CACHED`. */
  readonly reason: string;
  /** The key of the flag's namespace. */
  readonly namespace: string;
  /** The environment of Flipt v2. The member is absent if no environment is configured. */
  readonly environment?: string;
  /**
   * The version of the snapshot from which the flag was evaluated. The member is absent if Flipt evaluated the flag.
   */
  readonly version?: string;
}

/** Says that the app called `client.track`. */
export interface TrackEvent extends TrackingEventBase {
  /** The kind of event. */
  readonly kind: 'track';
  /** The name that `track` was called with. */
  readonly name: string;
  /**
   * The `targetingKey` of the context, or the text that `tracking.user` has returned for it. The member is absent if
   * the context has no targetingKey.
   */
  readonly targetingKey?: string;
  /** The details that `track` was called with, such as a numeric `value`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Where the provider sends who saw which variant, and what OpenFeature's `client.track` was called with. Flipt itself
 * does not accept such events.
 */
export interface TrackingOptions {
  /**
   * Receives events in the order in which they happened, at most 100 at a time. The function can be asynchronous. The
   * provider calls the function every 5 seconds while there are events, and as soon as 100 events wait, but never twice
   * at the same time. A call that throws, rejects or takes more than 10 seconds is repeated with the same ids: after 1
   * second, then after longer and longer pauses of up to 60 seconds. At most 1,000 events (1 MB) wait to be sent. If
   * there are more, the provider drops the oldest exposures first. No resolve waits for this function, and no resolve
   * fails because of it.
   */
  readonly send: (events: readonly TrackingEvent[]) => unknown;
  /** The names of the context's attributes that an event holds. Default: none. */
  readonly attributes?: readonly string[] | undefined;
  /**
   * The flags whose exposures are sent: a list of their keys, or a function that each resolve calls with the flag's key
   * and that returns whether to send the exposure. Default: all.
   */
  readonly flags?: readonly string[] | ((flagKey: string) => boolean) | undefined;
  /**
   * For how many milliseconds an exposure of the same user, flag and variant is not sent again. The provider remembers
   * the last 10,000 exposures for this purpose. Default 3600000 (1 hour).
   */
  readonly onceForMs?: number | undefined;
  /**
   * Returns the text that events contain in place of the `targetingKey`, for example a hash of it. Default: the
   * `targetingKey` itself.
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
