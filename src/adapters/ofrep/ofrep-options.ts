import type { EvaluationContext } from '@openfeature/server-sdk';
import * as v from 'valibot';
import type { FlagOutcome } from 'openfeature-flipt-provider';
import {
  callable,
  contextTimeoutMs,
  domain,
  flagKeysOr,
  hasMethods,
  milliseconds,
  onOffOr,
  rulesWithoutSecrets,
  whole,
  type RulesOf,
} from '../../options/value-rules.js';

/** What evaluates the flags of OFREP requests, such as a `FliptProvider`. */
export interface FlagEvaluator {
  /**
   * Resolves with the outcome of each flag that `flagKeys` names. A `FliptProvider` waits at most `deadlineMs` for
   * Flipt, or twice as long if `flagKeys` is a function and there is no snapshot yet.
   */
  evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>>;
}

/**
 * What the browser gets as the value of a variant flag: the key of its variant (`'key'`), or, if possible, the value in
 * the variant's attachment (`'typed'`).
 */
export type ValueKind = 'key' | 'typed';

/**
 * The options of `push`, with which the app sends an event to browsers when a flag changes. The app usually sends each
 * event a second time, when every instance of the app must have polled Flipt (by default, about 18 s later). Without
 * the second event, a browser could keep old values if it asked an instance that had not seen the change yet. A stream
 * ends after one to two hours, or earlier, for example when the provider closes. The app also ends a stream that its
 * browser no longer reads.
 *
 * Only pages of the app's own origin get a stream; all other pages get a 403, and have to poll. Over plain `http:`,
 * except to localhost, browsers do not send `Sec-Fetch-Site`, so that a page that sends no `Referer` also gets a 403.
 */
export interface PushOptions {
  /**
   * How many event streams of this handler can be open at a time in this process. A browser that asks for a stream
   * while `maxStreams` are open gets one event, and tries again after 20 s. The value is a whole number, at least 1.
   * Default 5000.
   */
  readonly maxStreams?: number | undefined;
  /**
   * How many event streams of this handler can be open at a time for one `targetingKey`. Visitors without a
   * `targetingKey` count only towards `maxStreams`. Set a higher value if many browsers share one `targetingKey`. The
   * value is a whole number, at least 1. Default 8.
   */
  readonly maxStreamsPerUser?: number | undefined;
  /**
   * The time in milliseconds over which the app spreads the events about a change, so that the browsers do not all
   * request their flags at once. The time is never more than 1 ms for each open stream. With 0, all browsers get the
   * event at once. Default 5000.
   */
  readonly jitterMs?: number | undefined;
  /**
   * The path at which the browser opens the stream. Set this option if a proxy between the browser and the app removes
   * a part of the path. Default: the path at which the browser requested all flags.
   */
  readonly requestUri?: string | undefined;
}

/**
 * The options of an OFREP handler. A wrong or unknown option causes a TypeError that names the option, when the handler
 * is made.
 */
export interface OfrepOptions<R> {
  /**
   * Returns the user and other attributes of a request, as your session knows them: usually at least a `targetingKey`.
   * The function must not read the body of the request. If the function throws, rejects, takes longer than
   * `contextTimeoutMs` or returns no object, the framework's error handling gets the error.
   */
  readonly context: (request: R) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * The flags that the browser is allowed to see, as a list of keys or as a function that is called for each key and
   * returns `true` or `false`. If the function returns anything but `true` or `false`, such as a promise, the
   * framework's error handling gets a TypeError. The provider does not evaluate flags that the browser is not allowed
   * to see, and a request for a flag that is not allowed gets a 404, as for a flag that does not exist. With a
   * function, the request for all flags needs Flipt's snapshot, because nothing else lists the keys.
   */
  readonly flags: readonly string[] | ((flagKey: string) => boolean);
  /**
   * What the browser gets as the value of a variant flag. With `'key'`, the value is the key of the variant, as in
   * Flipt's own OFREP. With `'typed'`, the value is the variant's attachment if the attachment is a JSON object or
   * list, or if the attachment is a number and the key is not a number. If both the attachment and the key are numbers,
   * `'typed'` gives the key as a number. In all other cases, `'typed'` gives the variant's key. A function is called
   * for each variant flag that has a value, and returns `'key'` or `'typed'`; if the function returns anything else,
   * the framework's error handling gets a TypeError. Default `'key'`.
   */
  readonly values?: ValueKind | ((flagKey: string) => ValueKind) | undefined;
  /**
   * The attributes that the browser is allowed to send, such as its language or the size of its window. An attribute
   * that the app gives overrides the browser's attribute of the same name. The list must not contain `targetingKey`.
   * Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * How many characters each attribute of `allow` in a request can have; a request with a longer attribute gets a 400
   * that names the attribute. A value that is no string is measured as JSON. The value is a whole number, at least 1.
   * Default 1000.
   */
  readonly maxAttributeLength?: number | undefined;
  /**
   * How many attributes of `allow` the browser can send in one request; a request with more of them gets a 400.
   * Attributes that are not in `allow` are ignored. The value is a whole number, at least 1. Default 100.
   */
  readonly maxAttributes?: number | undefined;
  /**
   * How long an async `context` can take, in milliseconds. The largest possible value is 2147483647. If `context` takes
   * longer, the framework's error handling gets an error. Default 1000.
   */
  readonly contextTimeoutMs?: number | undefined;
  /** The OpenFeature domain whose provider answers. Default: the default domain. */
  readonly domain?: string | undefined;
  /**
   * The `FliptProvider` that answers. Set this option if you have not registered the provider itself with OpenFeature,
   * for example because a MultiProvider contains it. Default: the provider that is registered for `domain`.
   */
  readonly provider?: FlagEvaluator | undefined;
  /**
   * Whether browsers get an event when the provider has seen a change of a flag, so that pages need not wait for their
   * next poll. Pass an object to set the options of the event streams. By default, the browser opens the event stream
   * with `GET` on the path that evaluates all flags at once, OFREP's bulk path. With `push`, the provider that answers
   * must be a `FliptProvider`. Default false.
   */
  readonly push?: boolean | PushOptions | undefined;
}

const flags = flagKeysOr<(flagKey: string) => boolean>(
  'a list of flag keys or a function that says which flags the browser may see',
);

const values = v.custom<ValueKind | ((flagKey: string) => ValueKind)>(
  (value) => value === 'key' || value === 'typed' || typeof value === 'function',
  "'key', 'typed' or a function that says which for a flag",
);

const names = 'a list of names of attributes';
const allow = v.pipe(
  v.array(v.string(names), names),
  v.check(
    (given) => !given.includes('targetingKey'),
    'names of attributes without targetingKey, which only context gives',
  ),
);

export const isEvaluator = (provider: unknown): provider is FlagEvaluator =>
  hasMethods(provider, ['evaluateEach']);

const pathOnly = 'a path that begins with one slash';

export const pushRule = onOffOr(
  {
    maxStreams: v.optional(whole(1, 'streams'), 5000),
    maxStreamsPerUser: v.optional(whole(1, 'streams'), 8),
    jitterMs: v.optional(milliseconds(0), 5000),
    // A browser would take a path that begins with two slashes, or contains a backslash, for an address on another
    // host.
    requestUri: v.optional(v.pipe(v.string(pathOnly), v.regex(/^\/(?:[^/\\\s][^\\\s]*)?$/, pathOnly))),
  } satisfies RulesOf<PushOptions>,
  false,
);

export type PushSettings = NonNullable<v.InferOutput<typeof pushRule>>;

export const ofrepRules = rulesWithoutSecrets('ofrep', {
  context: callable(),
  flags,
  values: v.optional(values, 'key'),
  allow: v.optional(allow, []),
  maxAttributeLength: v.optional(whole(1, 'characters'), 1000),
  maxAttributes: v.optional(whole(1, 'attributes'), 100),
  contextTimeoutMs,
  domain,
  provider: v.optional(v.custom<FlagEvaluator>(isEvaluator, 'a FliptProvider')),
  push: pushRule,
} satisfies RulesOf<OfrepOptions<never>>);

export type OfrepSettings = v.InferOutput<typeof ofrepRules.shape>;
