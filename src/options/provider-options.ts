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

/** How long answers are used, and how many are kept. The times add up: fresh, then stale, then stale on error. */
export interface CacheOptions {
  /** Milliseconds for which an answer is fresh: used without asking the service. Default 15000. */
  readonly freshForMs?: number | undefined;
  /** Milliseconds after that for which it is stale: used at once, and refreshed in the background. Default 15000. */
  readonly staleForMs?: number | undefined;
  /** Milliseconds after that for which it is still used if the service fails. Default 3600000. */
  readonly staleOnErrorForMs?: number | undefined;
  /** Milliseconds for which a missing flag is remembered as missing. Default 5000. */
  readonly negativeForMs?: number | undefined;
  /** Most answers to keep, up to 16777216; the least recently used are dropped first. Default 10000. */
  readonly maxEntries?: number | undefined;
  /**
   * Most bytes of questions and answers to keep, counting 400 more for each pair. A question over 64 kB is not kept.
   * Default 33554432 (32 MB).
   */
  readonly maxBytes?: number | undefined;
}

/** How questions are gathered into requests. */
export interface BatchOptions {
  /** Most questions in one request. Default 50. */
  readonly maxItems?: number | undefined;
  /** Most bytes of one request's body, in UTF-8. A question that is larger by itself is refused with
   * INVALID_CONTEXT. Default 1048576 (1 MB). */
  readonly maxBytes?: number | undefined;
  /**
   * Most requests at a time; questions that arrive meanwhile form the next batch. Default 8.
   */
  readonly maxConcurrent?: number | undefined;
  /**
   * Most questions waiting to be sent. Beyond it, callers get the last known answer or their default at once.
   * Default 10000.
   */
  readonly maxWaiting?: number | undefined;
}

/** When the circuit breaker opens, so that a failing service is not asked, and for how long. */
export interface BreakerOptions {
  /**
   * Failed requests in a row that open the circuit: no connection, no answer in time, 408, 429, 502, 503 or 504. Each
   * comes within a minute of the one before. It also opens once half of at least 20 requests within ten seconds have
   * failed. Default 3.
   */
  readonly failures?: number | undefined;
  /**
   * Milliseconds until the service is checked for the first time; doubles each time the check fails. Each time is
   * shortened at random, by half at most, so that many instances do not check at once. Default 5000.
   */
  readonly openForMs?: number | undefined;
  /** The longest time between two checks, in milliseconds; `openForMs` if that is longer. Default 10000. */
  readonly maxOpenForMs?: number | undefined;
}

/** Checked when the provider is created: a wrong or unknown option is a TypeError that names it. */
export interface FliptProviderOptions extends ConnectionOptions {
  /** Key of the namespace whose flags are resolved. Default: FLIPT_NAMESPACE, else `default`. */
  readonly namespace?: string | undefined;
  /**
   * `'required'`: a context without a targetingKey fails with TARGETING_KEY_MISSING. Default `'optional'`: `''` is
   * sent.
   */
  readonly targetingKey?: 'optional' | 'required' | undefined;
  /**
   * Which context attributes are sent, and so take part in the cache key. Default: all.
   * Leave out attributes that differ from call to call (request ids, timestamps): they defeat the cache.
   */
  readonly attributes?:
    | {
        /** Names of the attributes that are sent; no others are. */
        readonly only: readonly string[];
      }
    | {
        /** Names of the attributes that are not sent; all others are. Default none. */
        readonly except: readonly string[];
      }
    | undefined;
  /** Milliseconds for which `initialize` tries to reach the service; then it continues in the background. Default 5000. */
  readonly initTimeoutMs?: number | undefined;
  /**
   * Most milliseconds that one resolve may take. After that it returns the last known answer or the default. Default
   * 1000.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * How long answers are used. Default: on (`true`). `false`: no answer is kept, but equal questions at the same time
   * still share a request.
   */
  readonly cache?: boolean | CacheOptions | undefined;
  /** How questions share requests. Default: on (`true`). `false`: one request per question. */
  readonly batch?: boolean | BatchOptions | undefined;
  /** When the circuit opens. Default: on (`true`). `false`: never. */
  readonly breaker?: boolean | BreakerOptions | undefined;
  /**
   * Notices which flags change: their answers are dropped, PROVIDER_CONFIGURATION_CHANGED names them, and all other
   * answers stay fresh. Default: on (`true`), but never with a `reference`. `false`: off.
   */
  readonly watch?: boolean | WatchOptions | undefined;
  /**
   * Where flags are evaluated. `'in-process'`: here, from the service's snapshot, without a request for each user;
   * remote until the first snapshot has come, and if the service offers none. Excludes `reference`.
   * Default: FLIPT_EVALUATION, else `'remote'`; with `watch: { background: false }`, `'in-process'`.
   */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /** Keeps the last snapshot across restarts, or gives one to start from. Default: neither. */
  readonly snapshot?: SnapshotOptions | undefined;
  /** Where to send who saw which variant, and what `client.track` was called with. Default: none. */
  readonly tracking?: TrackingOptions | undefined;
}

/** The limit of the cache, which allocates room for all entries at the start. */
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

/** For users of other providers, which take the namespace as their first argument. */
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
