import * as v from 'valibot';
import { callable, members, milliseconds, type RulesOf } from './value-rules.js';

/**
 * An event that `tracking.send` receives, made of plain JSON values. The member `kind` says whether the event is an
 * exposure, which means that a user got a variant, or a call of `client.track`.
 */
export type TrackingEvent = ExposureEvent | TrackEvent;

/** The members that all tracking events have. */
export interface TrackingEventBase {
  /**
   * A UUID. If the provider sends an event again, the event keeps its id, so that a receiver can drop events that it
   * already has.
   */
  readonly id: string;
  /** The time at which the event happened, in ISO 8601 and UTC. */
  readonly time: string;
  /** Those attributes of the context that the option `tracking.attributes` names. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Says that a user got a variant of a flag. */
export interface ExposureEvent extends TrackingEventBase {
  /** The value `exposure` means that a user got a variant of a flag. */
  readonly kind: 'exposure';
  /** The `targetingKey` of the context, or the text that the option `tracking.user` gives in place of that key. */
  readonly targetingKey: string;
  /** The flag's key. */
  readonly flagKey: string;
  /** The variant's key. For a boolean flag, `variant` is the text `true` or `false`. */
  readonly variant: string;
  /** The type of value that the app asked for. */
  readonly valueType: 'boolean' | 'string' | 'number' | 'object';
  /** OpenFeature's reason, such as `TARGETING_MATCH`, `SPLIT` or `CACHED`. */
  readonly reason: string;
  /** The key of the flag's namespace. */
  readonly namespace: string;
  /** The environment of Flipt v2. This member is absent if no environment is configured. */
  readonly environment?: string;
  /**
   * The version of the snapshot from which the provider evaluated the flag. This member is absent if Flipt evaluated
   * the flag.
   */
  readonly version?: string;
}

/** Says that the app called `client.track`. */
export interface TrackEvent extends TrackingEventBase {
  /** The value `track` means that the app called `client.track`. */
  readonly kind: 'track';
  /** The name that the app gave to `track`. */
  readonly name: string;
  /**
   * The `targetingKey` of the context, or the text that the option `tracking.user` gives in place of that key. This
   * member is absent if the context has no targetingKey.
   */
  readonly targetingKey?: string;
  /** The details that the app gave to `track`, such as a numeric `value`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Where the provider sends exposures (who got which variant) and the calls of OpenFeature's `client.track`. Flipt
 * itself accepts no tracking events.
 */
export interface TrackingOptions {
  /**
   * Receives tracking events, usually in the order in which they happened, and at most 100 events in one call. The
   * function `send` can be asynchronous. The provider usually calls `send` within 5 seconds after an event, and as soon
   * as 100 events wait. The provider never calls `send` again before the last call has ended, or has taken
   * more than 10 seconds. If a call of `send` throws, rejects or takes more than 10 seconds, the provider usually sends
   * the same events again: after 1 second at most, and then after longer and longer pauses, up to 60 seconds. At most
   * 1,000 events (1 MB) wait or are being sent. If more events wait, the provider drops the oldest exposures first. No
   * resolve waits for `send`, and no resolve fails because of `send`.
   */
  readonly send: (events: readonly TrackingEvent[]) => unknown;
  /** The names of the attributes that the provider copies from the context into tracking events. Default: none. */
  readonly attributes?: readonly string[] | undefined;
  /**
   * The flags for which the provider sends exposures. This option is a list of flag keys, or a function that gets a
   * flag's key each time that a caller gets a variant, and returns whether to send an exposure. Default: all.
   */
  readonly flags?: readonly string[] | ((flagKey: string) => boolean) | undefined;
  /**
   * For how many milliseconds the provider does not send an exposure of the same user, flag and variant again. For this
   * purpose, the provider remembers at most the last 10,000 exposures. Default 3600000 (1 hour).
   */
  readonly onceForMs?: number | undefined;
  /**
   * Returns the text that events contain in place of the `targetingKey`, for example a hash of the `targetingKey`.
   * Default: the `targetingKey` itself.
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
