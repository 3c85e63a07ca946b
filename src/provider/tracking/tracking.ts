import { nodeModules } from '../../base/node-modules.js';
import { LRUCache } from 'lru-cache';
import type { ExposureEvent, TrackingEvent, TrackingSettings } from '../../options/tracking-options.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Runtime } from '../../model/runtime.js';
import { isRecord, kindOf, kindReturned, messageOf, oneLine } from '../../base/text/describe.js';
import { plainCopy } from '../../base/text/json.js';
import { EventQueue, MOST_LENGTH_OF_EVENT } from './event-queue.js';
import { Sender } from './sender.js';

/**
 * Tracking remembers at most this many exposures, so that it does not send the same exposure again within
 * `tracking.onceForMs`.
 */
const MOST_REMEMBERED = 10_000;
/** The user ids, flag keys and variant keys of all remembered exposures have at most this many characters in total. */
const MOST_REMEMBERED_LENGTH = 4 * 1024 * 1024;

/** The part of OpenFeature's evaluation context that tracking reads. */
export type Context = Readonly<Record<string, unknown>>;

/** The part of OpenFeature's resolution details that tracking reads. */
export interface Details {
  readonly variant?: string;
  readonly reason?: string;
  readonly flagMetadata?: { readonly [name: string]: unknown };
}

type TrackingPlace = Pick<ProviderSettings, 'namespace' | 'environment' | 'logger'>;

/** The part of `getStatus().tracking` that only a running provider has. */
export interface TrackingReading {
  /** The number of tracking events that wait to be sent, or are being sent. */
  readonly waiting: number;
  /** Whether the last call of `tracking.send` has failed. */
  readonly isFailing: boolean;
}

/**
 * Makes tracking events from the variants that users got and from calls of `client.track`, and passes these events to
 * `tracking.send`. No function of `Tracking` throws or returns a promise that rejects.
 */
export interface Tracking {
  /**
   * Call this function with the resolution details that a caller got. If a user got a variant of a tracked flag, the
   * function makes an exposure event, except if it has made an exposure event for the same user, flag and variant in
   * the last `tracking.onceForMs` milliseconds.
   */
  readonly exposed: (
    flagKey: string,
    details: Details,
    context: Context,
    valueType: ExposureEvent['valueType'],
  ) => void;
  /** Call this function when the application has called `client.track`. */
  readonly track: (name: unknown, context: Context, details: unknown) => void;
  /** Sends the waiting events, and repeats failed calls of `tracking.send`, for at most 2 s in total. */
  readonly flush: () => Promise<void>;
  /** Ends tracking. Events that were not sent before the close are lost. */
  readonly close: () => void;
  readonly read: () => TrackingReading;
}

/**
 * Opens tracking, which makes tracking events and sends them. `userOf` returns the user of a context, or `''` if the
 * context has no user.
 */
export function openTracking(
  { send, attributes, flags, onceForMs, user = (targetingKey) => targetingKey }: TrackingSettings,
  { namespace, environment, logger }: TrackingPlace,
  userOf: (context: Context) => string,
  runtime: Pick<Runtime, 'clock' | 'random' | 'report'>,
): Tracking {
  const { clock } = runtime;
  const { warn } = logger;
  const place = { namespace, ...(environment !== undefined && { environment }) };
  const queue = new EventQueue(warn, runtime);
  const sender = new Sender(queue, { send, warn }, runtime);
  const isChosen = choice(flags, warn);
  const isRepeated = repetitions(onceForMs, clock);

  const base = (context: Context) => ({
    id: nodeModules.crypto.randomUUID(),
    time: new Date(clock.date()).toISOString(),
    attributes: attributesOf(context, attributes),
  });
  const add = (make: () => TrackingEvent) => {
    try {
      const event = make();
      const json = JSON.stringify(event);
      if (json.length > MOST_LENGTH_OF_EVENT)
        throw new Error(`an event has more than ${MOST_LENGTH_OF_EVENT} characters`);
      queue.add(event.kind, json);
      sender.added();
    } catch (error) {
      queue.lost(1, oneLine(messageOf(error)));
    }
  };

  return {
    exposed(flagKey, details, context, valueType) {
      const { variant } = details;
      // If the caller got its own default, the details have no variant.
      if (variant === undefined || !isChosen(flagKey)) return;
      const targetingKey = userOf(context);
      if (targetingKey === '') return;
      if (isRepeated(`${flagKey}\0${variant}\0${targetingKey}`)) return;
      const version = details.flagMetadata?.version;
      add(() => ({
        kind: 'exposure',
        ...base(context),
        targetingKey: textFrom(user, targetingKey),
        flagKey,
        variant,
        valueType,
        reason: details.reason ?? 'UNKNOWN',
        ...place,
        ...(typeof version === 'string' && { version }),
      }));
    },
    track(name, context, details) {
      add(() => {
        // Callers in plain JavaScript can pass anything.
        if (typeof name !== 'string') throw new Error(`track: expected a name, got ${kindOf(name)}`);
        if (!isRecord(details))
          throw new Error(`track: expected details in an object, got ${kindOf(details)}`);
        const targetingKey = userOf(context);
        return {
          kind: 'track',
          ...base(context),
          name,
          ...(targetingKey !== '' && { targetingKey: textFrom(user, targetingKey) }),
          details: plainCopy(details),
        };
      });
    },
    flush: () => sender.flush(),
    close: () => {
      sender.close();
    },
    read: () => ({ waiting: queue.size, isFailing: sender.isFailing }),
  };
}

/**
 * Makes a function that returns `true` if an event was made for the same exposure within the last `withinMs`
 * milliseconds. Repeated exposures, for which no event is made, do not extend this time.
 */
function repetitions(withinMs: number, clock: Pick<Runtime['clock'], 'now'>) {
  const seen = new LRUCache<string, number>({
    max: MOST_REMEMBERED,
    maxSize: MOST_REMEMBERED_LENGTH,
    sizeCalculation: (_, key) => key.length,
  });
  return (exposure: string): boolean => {
    const now = clock.now();
    const last = seen.get(exposure);
    if (last !== undefined && now - last < withinMs) return true;
    seen.set(exposure, now);
    return false;
  };
}

/**
 * Makes a function that returns `true` if the flag is tracked. If the option `tracking.flags` is a function, that
 * function is called for each resolve, because its result can change. If the function `tracking.flags` fails, the flag
 * is not tracked.
 */
function choice(flags: TrackingSettings['flags'], warn: (message: string) => void) {
  if (flags === undefined) return () => true;
  if (typeof flags !== 'function') {
    const keys: ReadonlySet<string> = new Set(flags);
    return (flagKey: string) => keys.has(flagKey);
  }
  let hasFailed = false;
  return (flagKey: string): boolean => {
    try {
      // A function in plain JavaScript can return anything.
      const answer: unknown = flags(flagKey);
      if (typeof answer === 'boolean') return answer;
      throw new Error(`expected true or false, got ${kindReturned(answer)}`);
    } catch (error) {
      if (!hasFailed) warn(`tracking.flags failed (warned only once): ${oneLine(messageOf(error))}`);
      hasFailed = true;
      return false;
    }
  };
}

function textFrom(user: (targetingKey: string) => string, targetingKey: string): string {
  const text: unknown = user(targetingKey);
  // An async `tracking.user` returns a promise, which JSON would write as `{}`.
  if (typeof text !== 'string')
    throw new Error(`tracking.user: expected a string, got ${kindReturned(text)}`);
  return text;
}

function attributesOf(context: Context, names: readonly string[]) {
  const own = names.filter((name) => Object.hasOwn(context, name));
  return plainCopy(Object.fromEntries(own.map((name) => [name, context[name]])));
}
