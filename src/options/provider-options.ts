import * as v from 'valibot';
import { isPlainObject } from '../base/text/describe.js';
import { connectionEntries, OPTIONS, type ConnectionOptions } from './connection-options.js';
import type { SnapshotStore } from './snapshot-store.js';
import { trackingRule, type TrackingOptions } from './tracking-options.js';
import {
  defined,
  filledText,
  having,
  members,
  milliseconds,
  onOffOr,
  staysInPath,
  trueOrFalse,
  whole,
  type RulesOf,
} from './value-rules.js';

/** An answer is first fresh, then stale, and in the end used only if Flipt fails; the three times follow each other. */
export interface CacheOptions {
  /** While an answer is fresh, Flipt is not asked. What the snapshot confirms stays fresh. Default 15000. */
  readonly freshForMs?: number | undefined;
  /** A stale answer is used at once, and Flipt asked in the background. Default 15000. */
  readonly staleForMs?: number | undefined;
  /** Default 3600000 (1 hour). */
  readonly staleOnErrorForMs?: number | undefined;
  /** For how long "no such flag" counts. Default 5000. */
  readonly negativeForMs?: number | undefined;
  /** The least recently used answers make room. At most 16777216. Default 10000. */
  readonly maxEntries?: number | undefined;
  /** An answer counts as its texts, those of its question, and 400 bytes. Default 33554432 (32 MB). */
  readonly maxBytes?: number | undefined;
}

/** Several questions, each about one flag and one context, share a request. */
export interface BatchOptions {
  /** Default 50. */
  readonly maxItems?: number | undefined;
  /** Of the whole body, in UTF-8. A larger question fails with INVALID_CONTEXT. Default 1048576 (1 MB). */
  readonly maxBytes?: number | undefined;
  /** While so many requests are under way, new questions wait for the next batch. Default 8. */
  readonly maxConcurrent?: number | undefined;
  /** A question that finds so many waiting is not sent. Default 10000. */
  readonly maxWaiting?: number | undefined;
}

/** While the circuit is open, no questions are sent, and callers get the last known answer or their default at once. */
export interface BreakerOptions {
  /** So many health checks in a row must fail. A failed request asks for a check. Default 3. */
  readonly failures?: number | undefined;
  /** The first pause between two checks of a sick Flipt. Each failure doubles it, up to `maxOpenForMs`. Default 5000. */
  readonly openForMs?: number | undefined;
  /** A larger `openForMs` wins. Default 10000. */
  readonly maxOpenForMs?: number | undefined;
}

/** How the provider notices changes of flags. */
export interface WatchOptions {
  /** Plus or minus 20 %, and longer for a slow Flipt. At least 100. Default 15000. */
  readonly pollMs?: number | undefined;
  /** Also keeps a connection to the stream of Flipt 2.9 or newer, so that a change is seen in a second. Default false. */
  readonly stream?: boolean | undefined;
  /**
   * The longest that a cached answer stays fresh because polls find its flag unchanged, and that Flipt's "not modified" is
   * believed. Default 600000.
   */
  readonly maxAgeMs?: number | undefined;
}

/** Where the provider finds a snapshot as long as Flipt has not served one. */
export interface SnapshotOptions {
  /**
   * Keeps the last snapshot across restarts, readable for its owner only. Several processes may share the file. A file
   * that something else wrote is not overwritten. Not together with `store` or `reference`. Default: none.
   */
  readonly file?: string | undefined;
  /** Does the same in a store of yours. Default: none. */
  readonly store?: SnapshotStore | undefined;
  /**
   * A snapshot to start from, if `file` or `store` give none, or an older or empty one: the parsed output of the command
   * `snapshot`, the result of `getSnapshot` (only these two say how old they are), what Flipt itself gives with the header
   * `X-Flipt-Accept-Server-Version: 1.61.1`, or a features document. Default: none.
   */
  readonly initial?: object | undefined;
  /**
   * By whose rules a features document in `initial` is evaluated: Flipt v1, 2.0 to 2.8, or 2.9 and newer. Flipt's own
   * snapshot does not say `'v2.8'` either. Default `'v1'`.
   */
  readonly semantics?: 'v1' | 'v2.8' | 'v2' | undefined;
}

/** A wrong or unknown option is a TypeError that names it. */
export interface FliptProviderOptions extends ConnectionOptions {
  /** Default: FLIPT_NAMESPACE, else `default`. */
  readonly namespace?: string | undefined;
  /** Without a targetingKey, `'required'` fails with TARGETING_KEY_MISSING, and `'optional'` evaluates `''`. Default `'optional'`. */
  readonly targetingKey?: 'optional' | 'required' | undefined;
  /**
   * Which attributes are sent, and so part of the cache's key. Leave out what differs from call to call, such as request
   * ids. Default: all.
   */
  readonly attributes?:
    | { readonly only: readonly string[] }
    | { readonly except: readonly string[] }
    | undefined;
  /** How long `initialize` tries before it rejects; then the provider goes on trying. Default 5000. */
  readonly initTimeoutMs?: number | undefined;
  /** The longest that a resolve may take. Then it gives the last known answer or the default. Default 1000. */
  readonly deadlineMs?: number | undefined;
  /** With `false`, equal questions at the same time still share a request. Default: on (`true`). */
  readonly cache?: boolean | CacheOptions | undefined;
  /** With `false`, each question has a request of its own. Default: on (`true`). */
  readonly batch?: boolean | BatchOptions | undefined;
  /** With `false`, the circuit never opens. Default: on (`true`). */
  readonly breaker?: boolean | BreakerOptions | undefined;
  /** With `false`, a change is seen when a cached answer expires. Default: on (`true`). */
  readonly watch?: boolean | WatchOptions | undefined;
  /**
   * With `'in-process'`, the provider evaluates Flipt's snapshot, and asks Flipt only where it has none, or cannot read a
   * flag in it. Not together with `reference`. Default: FLIPT_EVALUATION, else `'remote'`.
   */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /** Lets the provider answer even if Flipt is down at the start. Default: neither. */
  readonly snapshot?: SnapshotOptions | undefined;
  /** Where exposures (who got which variant) and the calls of `client.track` go. Default: nowhere. */
  readonly tracking?: TrackingOptions | undefined;
}

/** A Map of V8 holds no more. */
const MOST_ENTRIES = 2 ** 24;

const cache = onOffOr({
  freshForMs: v.optional(milliseconds(0), 15_000),
  staleForMs: v.optional(milliseconds(0), 15_000),
  staleOnErrorForMs: v.optional(milliseconds(0), 3_600_000),
  negativeForMs: v.optional(milliseconds(0), 5_000),
  maxEntries: v.optional(whole(1, 'entries', MOST_ENTRIES), 10_000),
  maxBytes: v.optional(whole(1, 'bytes'), 32 * 1024 * 1024),
} satisfies RulesOf<CacheOptions>);

const batchEntries = {
  maxItems: v.optional(whole(1, 'items'), 50),
  maxBytes: v.optional(whole(1, 'bytes'), 1024 * 1024),
  maxConcurrent: v.optional(whole(1, 'requests'), 8),
  maxWaiting: v.optional(whole(1, 'questions'), 10_000),
} satisfies RulesOf<BatchOptions>;
const batch = v.pipe(
  onOffOr(batchEntries),
  v.transform((given) => given ?? v.parse(members(batchEntries), { maxItems: 1 })),
);

const breaker = onOffOr({
  failures: v.optional(whole(1, 'failures'), 3),
  openForMs: v.optional(milliseconds(1), 5_000),
  maxOpenForMs: v.optional(milliseconds(1), 10_000),
} satisfies RulesOf<BreakerOptions>);

const watch = onOffOr({
  pollMs: v.optional(milliseconds(100), 15_000),
  stream: v.optional(trueOrFalse, false),
  maxAgeMs: v.optional(milliseconds(0), 600_000),
} satisfies RulesOf<WatchOptions>);

const names = v.array(v.string('the name of an attribute'), 'a list of attribute names');
const attributes = v.pipe(
  members({ only: v.optional(names), except: v.optional(names) }, '{ only: [names] } or { except: [names] }'),
  v.check(({ only, except }) => (only === undefined) !== (except === undefined), 'either only or except'),
  v.transform((given) => defined(given) as NonNullable<FliptProviderOptions['attributes']>),
);

const store = v.pipe(
  having<SnapshotStore>(['load', 'save'], 'an object with the functions load and save'),
  v.check(
    (given) => ['function', 'undefined'].includes(typeof given.shared),
    'an object whose member shared, if there is one, is a function',
  ),
);
const initial = v.pipe(
  v.custom<{ readonly flags: readonly unknown[] }>(
    (value) => isPlainObject(value) && Array.isArray(Reflect.get(value, 'flags')),
    'a snapshot or a features document, an object with a list flags',
  ),
  v.check(
    ({ flags }) => firstWithoutKey(flags) === -1,
    ({ input }) => `flags that have keys (flags[${firstWithoutKey(input.flags)}] has none)`,
  ),
);
const snapshot = v.pipe(
  members({
    file: v.optional(filledText('the path of a file')),
    store: v.optional(store),
    initial: v.optional(initial),
    semantics: v.optional(v.picklist(['v1', 'v2.8', 'v2'], "'v1', 'v2.8' or 'v2'")),
  } satisfies RulesOf<SnapshotOptions>),
  v.check((given) => given.file === undefined || given.store === undefined, 'either file or store'),
);

function firstWithoutKey(flags: readonly unknown[]): number {
  return flags.findIndex((flag) => {
    const key: unknown = isPlainObject(flag) ? Reflect.get(flag, 'key') : undefined;
    return typeof key !== 'string' || key === '';
  });
}

const NAMESPACE = 'the key of a namespace';

export const providerShape = v.pipe(
  members(
    {
      ...connectionEntries,
      ...({
        namespace: v.optional(v.pipe(filledText(NAMESPACE), staysInPath(NAMESPACE)), 'default'),
        targetingKey: v.optional(
          v.picklist(['optional', 'required'], "'optional' or 'required'"),
          'optional',
        ),
        attributes: v.optional(attributes),
        initTimeoutMs: v.optional(milliseconds(1), 5_000),
        deadlineMs: v.optional(milliseconds(1), 1_000),
        cache,
        batch,
        breaker,
        watch,
        evaluation: v.optional(v.picklist(['remote', 'in-process'], "'remote' or 'in-process'"), 'remote'),
        snapshot: v.optional(snapshot, {}),
        tracking: v.optional(trackingRule),
      } satisfies RulesOf<Omit<FliptProviderOptions, keyof ConnectionOptions>>),
    },
    OPTIONS,
  ),
  v.check(
    (given) =>
      given.reference === undefined ||
      (given.evaluation === 'remote' && (given.snapshot.file ?? given.snapshot.store) === undefined),
    "no reference with evaluation: 'in-process', snapshot.file or snapshot.store, which have the newest revision only",
  ),
  v.check(
    ({ evaluation, watch: watched, snapshot: { file, store: kept, initial: first } }) =>
      evaluation === 'remote' || watched !== undefined || (file ?? kept ?? first) !== undefined,
    "snapshot.initial, snapshot.file or snapshot.store with evaluation: 'in-process' and watch: false",
  ),
);
