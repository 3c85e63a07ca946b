import * as v from 'valibot';
import { isPlainObject } from '../text/describe.js';
import {
  filledText,
  hasMethods,
  having,
  members,
  milliseconds,
  SWITCH,
  trueOrFalse,
  type RulesOf,
} from './shapes.js';

/**
 * How changes of flags are noticed. Each poll asks Flipt whether anything has changed. A service that offers no
 * snapshots is asked again every five minutes.
 */
export interface WatchOptions {
  /**
   * Milliseconds between two polls, plus or minus 20 %. If the service takes long for a whole snapshot, the
   * interval is at least 20 times that time. At least 1. Default 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Keeps a connection to Flipt's stream of changes, in addition to the polls, so that changes are noticed in about a
   * second. Needs Flipt 2.9; an older Flipt is only polled. Default false.
   */
  readonly stream?: boolean | undefined;
  /** Most milliseconds for which an answer is fresh while the watch finds its flag unchanged. Default 600000. */
  readonly maxAgeMs?: number | undefined;
  /**
   * `false`: for runtimes that stop between requests, such as Cloudflare Workers. The provider then does nothing between
   * calls: it starts no timer that outlives a call, and calls share nothing but finished results. `initialize` sends
   * nothing, and `provider.refresh()` polls. An open circuit lets one call through when its time is over, and a Kubernetes
   * login is renewed by the first call after its time. Excludes `stream`. Default true.
   */
  readonly background?: boolean | undefined;
}

/**
 * Keeps one text across restarts, for example in a file, a database, or a cache that several processes share. It may be
 * slow, fail or hang without delaying or failing a resolve.
 */
export interface SnapshotStore {
  /**
   * Called when the provider starts. Resolves with the text that was saved last, or `undefined` if there is none.
   * The start waits 250 ms for it; it may take half of `initTimeoutMs`, and is then used if the service has served no
   * snapshot. With `watch: false` it may take all of `initTimeoutMs`. A store with `shared` is asked again after each
   * change.
   */
  load(place: SnapshotPlace): Promise<string | undefined>;
  /**
   * Replaces the text in one step: a later `load` must see all of this text or all of the one before. Called after a
   * change, every 5 minutes while nothing changes (the text says when the service last confirmed the snapshot), and on
   * close. Called at most once every 5 seconds, and never before the last call has ended. May take 10 seconds.
   */
  save(text: string, place: SnapshotPlace): Promise<void>;
  /**
   * For a store that many instances share: one of them polls Flipt, and all others read its result. `save` is then not
   * called. Default: none; each instance polls Flipt.
   */
  shared?(place: SnapshotPlace): SharedSnapshot;
}

/**
 * The service, namespace and environment of a snapshot. A store that holds several snapshots keeps them apart by these.
 */
export interface SnapshotPlace {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  /** Key of the namespace. */
  readonly namespace: string;
  /** `undefined` if none is configured. */
  readonly environment: string | undefined;
}

/**
 * One snapshot that many instances share, with a lease for the instance that polls Flipt. Each call must be one step,
 * with no step of another instance in between. It rejects if the store cannot be asked. Each call may take 1 second,
 * `publish` with a text 5 seconds, the first call of `turn` 250 ms, and the next call waits until it has ended. After a failure, each instance polls Flipt by itself
 * until the store works again.
 */
export interface SharedSnapshot {
  /**
   * Gives `holder` the lease for `leaseMs` if the lease is free, or renews it if `holder` has it already. With
   * `leaseMs` 0 it does neither. Returns what the store holds.
   */
  turn(holder: string, leaseMs: number): Promise<SharedTurn>;
  /**
   * Writes the record, and the snapshot if `text` is given, but only if the holder still has the lease with this fence.
   * Otherwise it writes nothing and returns `'lost'`. Without `text`, if the store does not hold this version, it
   * writes nothing and returns `'missing'`; it is then called again with `text`.
   */
  publish(publication: SharedPublication): Promise<'published' | 'lost' | 'missing'>;
  /** Gives the lease back if `holder` has it, so that another instance need not wait until it expires. */
  release(holder: string): Promise<void>;
}

/** What an instance reads from the store. */
export interface SharedTurn {
  /**
   * The lease's number, if the asker has the lease; else `undefined`. It differs each time the lease is given, so that
   * a holder that was asleep cannot write.
   */
  readonly fence?: number | undefined;
  /** What the store holds; `undefined` if it holds nothing. */
  readonly record?: SharedRecord | undefined;
  /** Milliseconds of the store's clock, from any starting point. */
  readonly time: number;
}

/** What the store says about its snapshot. It is small, because each instance reads it every `pollMs`. */
export interface SharedRecord {
  /** Differs for each snapshot. */
  readonly version: string;
  /** When the service last confirmed the snapshot, by the store's clock. */
  readonly confirmedAt: number;
  /** Milliseconds that a whole snapshot costs the service, if the holder of the lease has proved it; else 0. */
  readonly fullBodyMs: number;
}

/** The result of a poll by the holder of the lease. */
export interface SharedPublication extends SharedRecord {
  /** The instance that has the lease. */
  readonly holder: string;
  /** The lease's number when the holder asked the service. */
  readonly fence: number;
  /** The text that `load` returns from now on; `undefined`: the same as before. */
  readonly text: string | undefined;
}

/** Where the provider gets a snapshot from before the service has served one. */
export interface SnapshotOptions {
  /**
   * Path of a file that keeps the last snapshot across restarts; written in one step, for its owner alone. Several
   * processes with the same `url`, `namespace` and `environment` may share it. A file that holds anything else is not
   * overwritten. Excludes `store` and `reference`. Default: none.
   */
  readonly file?: string | undefined;
  /** Keeps the last snapshot somewhere else. Excludes `file` and `reference`. Default: none. */
  readonly store?: SnapshotStore | undefined;
  /**
   * A snapshot to start from if none is kept, or if it is younger than the kept one: what the command `snapshot` has
   * written, as an object, the result of `getSnapshot`, Flipt's own snapshot, fetched with the header
   * `X-Flipt-Accept-Server-Version: 1.61.1`, or a features document as an object. The first two know their age. Default:
   * none.
   */
  readonly initial?: object | undefined;
  /**
   * Whose rules of evaluation apply to a features document as `initial`: those of Flipt v1 (`'v1'`), of Flipt 2.0 to 2.8
   * (`'v2.8'`), or of 2.9 and newer (`'v2'`). `'v2.8'` also counts for Flipt v2's own snapshot, which does not say which
   * release wrote it. Default `'v1'`.
   */
  readonly semantics?: 'v1' | 'v2.8' | 'v2' | undefined;
}

export const watchRule = v.pipe(
  members(
    {
      pollMs: v.optional(milliseconds(1), 15_000),
      stream: v.optional(trueOrFalse, false),
      maxAgeMs: v.optional(milliseconds(0), 600_000),
      background: v.optional(trueOrFalse, true),
    } satisfies RulesOf<WatchOptions>,
    SWITCH,
  ),
  v.check(({ stream, background }) => !stream || background, 'either stream: true or background: false'),
);

const store = v.pipe(
  having<SnapshotStore>(['load', 'save'], 'an object with the functions load and save'),
  v.check(
    (given) => ['function', 'undefined'].includes(typeof given.shared),
    'an object whose member shared, if there is one, is a function',
  ),
);

/** Checks as much as is possible without loading the code that reads it. */
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

function firstWithoutKey(flags: readonly unknown[]): number {
  return flags.findIndex((flag) => {
    const key: unknown = isPlainObject(flag) ? Reflect.get(flag, 'key') : undefined;
    return typeof key !== 'string' || key === '';
  });
}

export const snapshotRule = v.pipe(
  members({
    file: v.optional(filledText('the path of a file')),
    store: v.optional(store),
    initial: v.optional(initial),
    semantics: v.optional(v.picklist(['v1', 'v2.8', 'v2'], "'v1', 'v2.8' or 'v2'")),
  } satisfies RulesOf<SnapshotOptions>),
  v.check((given) => given.file === undefined || given.store === undefined, 'either file or store'),
);

/** What to write instead of a wrong value of `snapshot`, or in it; `undefined` if that cannot be guessed. */
export function snapshotHint(path: string, given: unknown, holder: unknown): string | undefined {
  if (path === 'snapshot' && typeof given === 'string') return 'did you mean snapshot: { file }?';
  if (path === 'snapshot.initial' && typeof given === 'string') return 'did you mean JSON.parse(…)?';
  if (path === 'snapshot.store' && (typeof given === 'function' || hasMethods(given, ['get', 'set']))) {
    return REDIS;
  }
  if (!/^snapshot\.\w+$/.test(path) || /^snapshot\.(file|store|initial|semantics)$/.test(path))
    return undefined;
  if (hasMethods(holder, ['load', 'save'])) return 'did you mean snapshot: { store }?';
  if (hasMethods(holder, ['get', 'set'])) return REDIS;
  return /\.(flags|segments)$/.test(path) ? 'did you mean snapshot: { initial }?' : undefined;
}

const REDIS =
  "did you mean snapshot: { store: redisStore(client) }, from 'openfeature-flipt-provider/redis'?";
