import type { EvaluationContext } from '@openfeature/server-sdk';
import * as v from 'valibot';
import type { FlagOutcome } from '../../index.js';
import { contextTimeoutMs, domain, flagKeysOr, rulesWithoutSecrets } from '../../options/entry-rules.js';
import { callable, hasMethods, milliseconds, onOffOr, whole, type RulesOf } from '../../options/shapes.js';

/** Evaluates flags for OFREP requests: a `FliptProvider`. */
export interface FlagEvaluator {
  /** The outcome of each of these flags. A `FliptProvider` ends within `deadlineMs`. */
  evaluateEach(
    context: EvaluationContext,
    flagKeys: readonly string[] | ((flagKey: string) => boolean),
  ): Promise<ReadonlyMap<string, FlagOutcome>>;
}

/** What a variant flag gives: its variant's key, or the value that the attachment holds. */
export type ValueKind = 'key' | 'typed';

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
   * The most of them for one `targetingKey`; visitors without one count towards `maxStreams` alone. Raise it if many
   * share one. A whole number, at least 1. Default 8.
   */
  readonly maxStreamsPerUser?: number | undefined;
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

/** A wrong or unknown option is a TypeError that names it, thrown when the handler is made. */
export interface OfrepOptions<R> {
  /**
   * The user and other attributes of a request, as your session knows them: at least a `targetingKey`. It must not read
   * the body. If it throws, rejects, takes longer than `contextTimeoutMs` or returns no object, the framework's error handling gets the error.
   */
  readonly context: (request: R) => EvaluationContext | Promise<EvaluationContext>;
  /**
   * The flags that the browser may see, as a list of keys or as a function that is asked for each key and returns `true`
   * or `false`; anything else, such as a promise, is a TypeError for the framework's error handling. All others are not
   * evaluated, and do not exist for the browser. For all flags at once, a function needs Flipt's snapshot.
   */
  readonly flags: readonly string[] | ((flagKey: string) => boolean);
  /**
   * What a variant flag gives: `'key'`, its variant's key, as in Flipt's own OFREP; or `'typed'`, its variant's attachment
   * if that is a JSON number, object or list, else the key. A function is asked for each variant flag; anything else that
   * it returns is a TypeError for the framework's error handling. Default `'key'`.
   */
  readonly values?: ValueKind | ((flagKey: string) => ValueKind) | undefined;
  /**
   * Attributes that the browser itself may name, such as its language or the size of its window, if nothing else names
   * them. Never `targetingKey`. Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * The longest text of an attribute of `allow`, in characters; of a list or an object, as JSON. A longer one is a 400
   * that names it. A whole number, at least 1. Default 1000.
   */
  readonly maxAttributeLength?: number | undefined;
  /** The most attributes of `allow` in one request; more are a 400. A whole number, at least 1. Default 100. */
  readonly maxAttributes?: number | undefined;
  /** Milliseconds that an async `context` may take, at most 2147483647. Default 1000. */
  readonly contextTimeoutMs?: number | undefined;
  /** OpenFeature's domain, whose provider answers. Default: the default one. */
  readonly domain?: string | undefined;
  /**
   * The `FliptProvider` that answers. Needed if it is not registered itself, as inside a MultiProvider.
   * Default: the provider registered for `domain`.
   */
  readonly provider?: FlagEvaluator | undefined;
  /**
   * Whether browsers get an event when a flag changes, so that a page shows the change at once; or the options of these
   * events. The event stream has the path of all flags, with `GET`. `provider` must be a `FliptProvider`. Default false.
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
    // An address with two slashes or a backslash would lead to another host.
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
