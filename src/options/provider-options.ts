import * as v from 'valibot';
import { connectionRules, type ConnectionOptions } from './connection-options.js';
import {
  filledText,
  members,
  milliseconds,
  onOffOr,
  set,
  staysInPath,
  whole,
  type RulesOf,
} from './value-rules.js';
import type { OptionRules } from './check-options.js';
import { snapshotHint, snapshotRule, type SnapshotOptions } from './snapshot-options.js';
import { trackingRule, type TrackingOptions } from './tracking-options.js';
import { watchRule, type WatchOptions } from './watch-options.js';

/**
 * How long the provider uses answers from its cache, and how many answers it keeps. An answer in the cache is first
 * fresh, then stale, and in the end used only if Flipt fails. The times `freshForMs`, `staleForMs` and
 * `staleOnErrorForMs` follow each other.
 */
export interface CacheOptions {
  /**
   * For how many milliseconds an answer is fresh, which means that the provider uses the answer without asking Flipt.
   * If the snapshot confirms the answer, the answer stays fresh for longer (see `watch.maxAgeMs`). Default 15000.
   */
  readonly freshForMs?: number | undefined;
  /**
   * For how many milliseconds after `freshForMs` an answer is stale. The provider uses a stale answer at once, and
   * usually asks Flipt for a new answer in the background. Default 15000.
   */
  readonly staleForMs?: number | undefined;
  /**
   * For how many milliseconds after `staleForMs` the provider still uses an answer if Flipt fails. Default 3600000 (1
   * hour).
   */
  readonly staleOnErrorForMs?: number | undefined;
  /**
   * For how many milliseconds the provider relies on Flipt's answer that a flag does not exist, and does not ask again.
   * If the snapshot confirms this answer, the answer stays fresh until such a flag is created, but at most for
   * `watch.maxAgeMs`. Default 5000.
   */
  readonly negativeForMs?: number | undefined;
  /**
   * How many answers the cache keeps at most. When the cache is full, it drops the answers that were least recently
   * used. The largest possible value of `maxEntries` is 16777216. Default 10000.
   */
  readonly maxEntries?: number | undefined;
  /**
   * How many bytes the cache keeps at most. A cached answer counts as the bytes of its own texts, usually twice the
   * bytes of its question (the flag's key and the context), and about 600 bytes more. The cache does not keep the
   * answer to a question of more than 64 kB. Default 33554432 (32 MB).
   */
  readonly maxBytes?: number | undefined;
}

/**
 * How the provider puts several questions into one request. A question asks for the value of one flag for one context.
 */
export interface BatchOptions {
  /** How many questions a request contains at most. Default 50. */
  readonly maxItems?: number | undefined;
  /**
   * How many bytes the body of a request has at most, in UTF-8. If a single question is larger than `maxBytes`, its
   * resolve fails with INVALID_CONTEXT. Default 1048576 (1 MB).
   */
  readonly maxBytes?: number | undefined;
  /**
   * How many requests for questions can be under way at the same time. While `maxConcurrent` requests are under way,
   * new questions wait, and form the next batch. After a time-out, the provider usually sends fewer requests at the
   * same time for some seconds. Requests that divide a failed batch do not count. Default 8.
   */
  readonly maxConcurrent?: number | undefined;
  /**
   * How many questions can wait to be sent. If `maxWaiting` questions already wait, a resolve that would add another
   * question returns at once, with the last known answer, the value that the snapshot gives, or the default. Default
   * 10000.
   */
  readonly maxWaiting?: number | undefined;
}

/**
 * When the circuit breaker opens, and how long the circuit stays open. While the circuit is open, the provider sends no
 * questions to Flipt, and callers get the last known answer, the value that the snapshot gives, or their default at
 * once.
 */
export interface BreakerOptions {
  /**
   * How many failed requests in a row open the circuit. A request has failed if the connection failed, if no response
   * came in time, or if the response has the status 408, 429, 502, 503 or 504. A request with status 500 can also count
   * as failed, but only if a health check fails, too. If a minute or more passes between two failures, the count begins
   * again at 1. Failed requests that were under way at the same time count once. The circuit also opens if half of at
   * least 20 requests within ten seconds have failed. If Flipt has answered another request in the last ten seconds,
   * the circuit opens only if a health check fails, too. Default 3.
   */
  readonly failures?: number | undefined;
  /**
   * How many milliseconds after the circuit has opened the provider checks whether Flipt works again. Each check that
   * fails doubles the time until the next check, up to `maxOpenForMs`. The provider shortens the times between checks
   * at random, by half at most, so that many instances do not check at the same moment. Default 5000.
   */
  readonly openForMs?: number | undefined;
  /**
   * The longest time between two checks of Flipt, in milliseconds. If `openForMs` is larger than `maxOpenForMs`, the
   * longest time is `openForMs`. Default 10000.
   */
  readonly maxOpenForMs?: number | undefined;
}

/**
 * The options of the provider. If an option is wrong or unknown, the constructor throws a TypeError that names the
 * option.
 */
export interface FliptProviderOptions extends ConnectionOptions {
  /** The key of the namespace whose flags are resolved. Default: FLIPT_NAMESPACE, else `default`. */
  readonly namespace?: string | undefined;
  /**
   * What happens if a context has no targetingKey. With `'required'`, the resolve fails with TARGETING_KEY_MISSING.
   * With `'optional'`, the flag is evaluated with `''` as the targetingKey. Default `'optional'`.
   */
  readonly targetingKey?: 'optional' | 'required' | undefined;
  /**
   * Which attributes of the context the provider sends to Flipt. The attributes that the provider sends are also part
   * of the key of an answer in the cache. Leave out attributes that differ from call to call, such as request ids and
   * timestamps, because with these attributes the cache hardly ever has an answer. Default: all.
   */
  readonly attributes?:
    | {
        /**
         * The names of the attributes that the provider sends. The provider sends no attribute that `only` does not
         * name.
         */
        readonly only: readonly string[];
      }
    | {
        /**
         * The names of the attributes that the provider does not send. The provider sends all attributes that `except`
         * does not name. Default: none.
         */
        readonly except: readonly string[];
      }
    | undefined;
  /**
   * For how many milliseconds `initialize` tries to reach Flipt. If `initialize` does not reach Flipt within
   * `initTimeoutMs`, and the provider has no saved or given snapshot, `setProviderAndWait` rejects, and the provider
   * goes on trying in the background. Default 5000.
   */
  readonly initTimeoutMs?: number | undefined;
  /**
   * How many milliseconds a resolve can take at most. A resolve that would take longer than `deadlineMs` returns the
   * last known answer, the value that the snapshot gives, or the default. Default 1000.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * How long the provider uses answers from its cache. With `false`, the provider keeps no answers, but equal questions
   * at the same time still share one request. Default: on (`true`).
   */
  readonly cache?: boolean | CacheOptions | undefined;
  /**
   * How several questions share one request. With `false`, the provider sends each question in a request of its own.
   * Default: on (`true`).
   */
  readonly batch?: boolean | BatchOptions | undefined;
  /** When the circuit breaker opens. With `false`, the circuit never opens. Default: on (`true`). */
  readonly breaker?: boolean | BreakerOptions | undefined;
  /**
   * How the provider notices that flags have changed. The provider drops the cached answers of the changed flags, and
   * names these flags in the event PROVIDER_CONFIGURATION_CHANGED. Because of the polls, the cached answers of all
   * other flags can stay fresh for longer than `cache.freshForMs`. With `false`, the provider does not look for
   * changes, and usually sees a change only when a cached answer expires. With a `reference`, the provider never
   * watches for changes. Default: on (`true`).
   */
  readonly watch?: boolean | WatchOptions | undefined;
  /**
   * Where flags are evaluated. With `'remote'`, Flipt evaluates the flags. With `'in-process'`, the provider evaluates
   * the flags from Flipt's snapshot, without a request for each user. Unless `watch` is `false`, an in-process provider
   * asks Flipt to evaluate a flag if it has no snapshot yet, if it cannot read the flag in the snapshot, and usually if
   * Flipt offers no snapshots. You cannot set `reference` together with `'in-process'`. Default: FLIPT_EVALUATION, else
   * `'remote'`.
   */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /**
   * Keeps the last snapshot across restarts, or gives the provider a snapshot to start from, so that the provider can
   * answer even if Flipt is down at the start. Default: neither.
   */
  readonly snapshot?: SnapshotOptions | undefined;
  /** Where the provider sends exposures (who got which variant) and the calls of `client.track`. Default: nowhere. */
  readonly tracking?: TrackingOptions | undefined;
}

/** The largest possible `cache.maxEntries`. There is a limit, because a Map of V8 cannot hold more entries. */
const MOST_ENTRIES = 2 ** 24;

const cacheRule = onOffOr({
  freshForMs: v.optional(milliseconds(0), 15_000),
  staleForMs: v.optional(milliseconds(0), 15_000),
  staleOnErrorForMs: v.optional(milliseconds(0), 3_600_000),
  negativeForMs: v.optional(milliseconds(0), 5_000),
  maxEntries: v.optional(whole(1, 'entries', MOST_ENTRIES), 10_000),
  maxBytes: v.optional(whole(1, 'bytes'), 32 * 1024 * 1024),
} satisfies RulesOf<CacheOptions>);
const batchMembers = {
  maxItems: v.optional(whole(1, 'items'), 50),
  maxBytes: v.optional(whole(1, 'bytes'), 1024 * 1024),
  maxConcurrent: v.optional(whole(1, 'requests'), 8),
  maxWaiting: v.optional(whole(1, 'questions'), 10_000),
} satisfies RulesOf<BatchOptions>;
const breakerRule = onOffOr({
  failures: v.optional(whole(1, 'failures'), 3),
  openForMs: v.optional(milliseconds(1), 5_000),
  maxOpenForMs: v.optional(milliseconds(1), 10_000),
} satisfies RulesOf<BreakerOptions>);

const names = v.array(v.string('the name of an attribute'), 'a list of attribute names');
const attributesRule = v.pipe(
  members({ only: v.optional(names), except: v.optional(names) }, '{ only: [names] } or { except: [names] }'),
  v.check(({ only, except }) => (only === undefined) !== (except === undefined), 'either only or except'),
  v.transform((given) => set(given) as NonNullable<FliptProviderOptions['attributes']>),
);

const NAMESPACE = 'the key of a namespace';

const rules = connectionRules('FliptProvider', {
  namespace: v.optional(v.pipe(filledText(NAMESPACE), staysInPath(NAMESPACE)), 'default'),
  targetingKey: v.optional(v.picklist(['optional', 'required'], "'optional' or 'required'"), 'optional'),
  attributes: v.optional(attributesRule),
  initTimeoutMs: v.optional(milliseconds(1), 5_000),
  deadlineMs: v.optional(milliseconds(1), 1_000),
  cache: cacheRule,
  batch: v.pipe(
    onOffOr(batchMembers),
    v.transform((batch) => batch ?? v.parse(members(batchMembers), { maxItems: 1 })),
  ),
  breaker: breakerRule,
  watch: watchRule,
  evaluation: v.optional(v.picklist(['remote', 'in-process'], "'remote' or 'in-process'"), 'remote'),
  snapshot: v.optional(snapshotRule, {}),
  tracking: v.optional(trackingRule),
} satisfies RulesOf<Omit<FliptProviderOptions, keyof ConnectionOptions>>);

/**
 * This hint is for users who come from other providers. The constructors of some other providers take the namespace as
 * their first argument.
 */
const MIGRATION =
  "the namespace is an option: new FliptProvider({ namespace: 'default', url: 'http://localhost:8080' })";

export const providerRules = {
  ...rules,
  showsNames: (path) => path === 'attributes' || rules.showsNames(path),
  hint: (path, given, holder) => {
    if (path === 'options' && typeof given === 'string') return MIGRATION;
    if (/^(mode|in_?process)$/i.test(path)) return "did you mean evaluation: 'in-process'?";
    if (/^(watch\.)?(poll(ing)?|update|refresh)_?interval(ms)?$/i.test(path))
      return 'did you mean watch: { pollMs }?';
    return snapshotHint(path, given, holder) ?? rules.hint(path, given, holder);
  },
} satisfies OptionRules;
