import * as v from 'valibot';
import type { SnapshotStore } from './snapshot-store.js';
import { isPlainObject } from '../base/text/describe.js';
import { filledText, hasMethods, having, members, type RulesOf } from './value-rules.js';

/** Where the provider finds a snapshot as long as Flipt has not served one. */
export interface SnapshotOptions {
  /**
   * The path of a file in which the provider keeps the last snapshot across restarts. The provider replaces the file in
   * one step, and only the owner of the file can read the file. Several processes with the same `url`, `namespace` and
   * `environment` can use the same file. The provider does not overwrite a file whose content this package has not
   * written. You cannot set `store` or `reference` together with `file`. Default: none.
   */
  readonly file?: string | undefined;
  /**
   * A store that keeps the last snapshot across restarts, for example in Redis or in a database. You cannot set `file`
   * or `reference` together with `store`. Default: none.
   */
  readonly store?: SnapshotStore | undefined;
  /**
   * A snapshot from which the provider starts. The provider uses `initial` if neither `file` nor `store` gives a
   * snapshot, or if their snapshot is older than `initial` or has no flags. `initial` is an object of one of these four
   * kinds: the parsed output of the command `snapshot`, the result of `getSnapshot`, a snapshot that you have fetched
   * from Flipt with the header `X-Flipt-Accept-Server-Version: 1.61.1`, or a features document. Only the output of the
   * command `snapshot` and the result of `getSnapshot` contain the time from which the provider knows how old the
   * snapshot is. Default: none.
   */
  readonly initial?: object | undefined;
  /**
   * The version of Flipt whose rules the provider uses to evaluate a features document in `initial`: Flipt v1 (`'v1'`),
   * Flipt 2.0 to 2.8 (`'v2.8'`), or Flipt 2.9 and newer (`'v2'`). Set `'v2.8'` also for a snapshot that you have
   * fetched from Flipt 2.0 to 2.8, because a snapshot from Flipt does not say which release of Flipt wrote the
   * snapshot. Default `'v1'`.
   */
  readonly semantics?: 'v1' | 'v2.8' | 'v2' | undefined;
}

const store = v.pipe(
  having<SnapshotStore>(['load', 'save'], 'an object with the functions load and save'),
  v.check(
    (given) => ['function', 'undefined'].includes(typeof given.shared),
    'an object whose member shared, if there is one, is a function',
  ),
);

/**
 * Checks the option `initial` as far as possible without the code that reads snapshots, because loading that code takes
 * time.
 */
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

/**
 * Returns a hint for a user who has given a wrong value for the option `snapshot` or for one of its members. Returns
 * `undefined` if the right value cannot be guessed.
 */
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
