import * as v from 'valibot';
import type { SnapshotStore } from './snapshot-store.js';
import { isPlainObject } from '../base/text/describe.js';
import { filledText, hasMethods, having, members, type RulesOf } from './value-rules.js';

/** Where the provider gets a snapshot from before Flipt has served one. */
export interface SnapshotOptions {
  /**
   * The path of a file that keeps the last snapshot across restarts. The file is replaced in one step, and only the
   * owner of the file can read it. Several processes with the same `url`, `namespace` and `environment` can share a
   * file. The provider does not overwrite a file whose content this package has not written. You cannot set `store` or
   * `reference` together with `file`. Default: none.
   */
  readonly file?: string | undefined;
  /**
   * A store that keeps the last snapshot across restarts, for example in Redis or in a database. You cannot set `file`
   * or `reference` together with `store`. Default: none.
   */
  readonly store?: SnapshotStore | undefined;
  /**
   * A snapshot to start from. The provider uses this snapshot if `file` or `store` has none, or if this snapshot is
   * younger than the one in `file` or `store`. You can give what the command `snapshot` has written, as an object; the
   * result of `getSnapshot`; a snapshot of Flipt's own, fetched with the header `X-Flipt-Accept-Server-Version:
   * 1.61.1`; or a features document as an object. Only what the command has written and the result of `getSnapshot`
   * contain the time that tells how old the snapshot is. Default: none.
   */
  readonly initial?: object | undefined;
  /**
   * The version of Flipt by whose rules a features document in `initial` is evaluated: Flipt v1 (`'v1'`), Flipt 2.0 to
   * 2.8 (`'v2.8'`), or Flipt 2.9 and newer (`'v2'`). Set `'v2.8'` also for a snapshot that came from Flipt 2.0 to 2.8
   * itself, because Flipt's own snapshot does not say which release wrote it. Default `'v1'`.
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

/** Checks a snapshot as far as that is possible without loading the code that reads snapshots. */
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
 * Returns a hint about what to write instead of a wrong value of the option `snapshot` or of one of its members, or
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
