import type { Failure } from '../model/failure.js';
import { quoted } from '../base/text/describe.js';
import type { Clock } from '../base/time/clock.js';
import { parseSnapshot } from './body/parse-snapshot.js';
import {
  failedBy,
  knownOf,
  type ExpectedSnapshot,
  type Fetched,
  type FetchSnapshot,
  type Known,
} from './fetch-snapshot.js';
import { NO_COST } from './poll-cost.js';
import { hasFlags, snapshotOf, type Snapshot } from './snapshot.js';

export interface KeepFlagsSettings {
  readonly url: string;
  readonly namespace: string;
  /**
   * If the service has had no flags for this many milliseconds, the provider assumes that the flags were deleted
   * intentionally.
   */
  readonly acceptLossAfterMs: number;
  /** The option `watch.pollMs`, in milliseconds. */
  readonly pollMs: number;
  /** A long saved snapshot whose flags have not been read yet, or `undefined` if no such snapshot is known. */
  readonly expected?: ExpectedSnapshot | undefined;
}

/**
 * Wraps `fetch` so that the provider keeps its flags when Flipt seems to have lost all of its flags. If the provider
 * has flags, and a poll finds a snapshot without flags, or an unknown namespace or environment, the wrapped function
 * usually reports a failed poll of the kind `flags-lost`. The provider accepts that Flipt has no flags any more in two
 * cases: the app calls `invalidate()` without keys, or Flipt has answered without flags for `acceptLossAfterMs`.
 */
export function keepingFlags(
  fetch: FetchSnapshot,
  { url, namespace, acceptLossAfterMs, pollMs, expected }: KeepFlagsSettings,
  clock: Clock,
): FetchSnapshot {
  /**
   * The times of the first and the last answer in an unbroken row of answers without flags. `lost` is `undefined` if
   * there is no row of answers without flags, for example because the last answer had flags, or because the last poll
   * failed.
   */
  let lost: { readonly since: number; readonly until: number } | undefined;
  /**
   * The saved snapshot of an earlier run. `unread` is cleared when a poll begins while a snapshot is in force, so that
   * the saved snapshot does not stay in memory.
   */
  let unread = expected;
  const longestGapMs = Math.max(LONGEST_GAP_MS, 3 * pollMs);

  const accepted = async (fetched: Fetched, known: Known): Promise<Fetched> => {
    if ('snapshot' in fetched) return fetched;
    const isEmpty = !hasFlags(known.snapshot);
    const snapshot = isEmpty ? known.snapshot : await emptied(known.snapshot, namespace, clock);
    const kind = isEmpty ? 'unchanged' : 'snapshot';
    return { ...knownOf(known), etag: undefined, snapshot, kind, cost: NO_COST };
  };

  return async (inForce, asker) => {
    if (inForce !== undefined) unread = undefined;
    const fetched = await fetch(inForce, asker);
    if (fetched.kind === 'overtaken') return fetched;
    const said = withoutFlags(fetched);
    // If the service has given no flags, or if the poll has failed, the flags of the saved snapshot are needed. The
    // saved snapshot comes into force before the watch gets the outcome of this poll, so that the watch judges the
    // outcome as with any other snapshot.
    const isNeeded = said !== undefined || fetched.kind === 'failed';
    const known = inForce ?? (isNeeded ? await unread?.whole() : undefined);
    if (said === undefined || known === undefined) {
      // The row of answers without flags ends when an answer has flags, and also when a poll fails. Without
      // `invalidate()`, the loss of all flags counts as intended only if no poll has failed since Flipt first answered
      // without flags.
      lost = undefined;
      return fetched;
    }
    const flags = known.snapshot.flags.keys().size;
    const now = clock.now();
    // Two answers without flags that are far apart do not form a row, because another instance that shares the store
    // may have polled in between and found flags.
    const isInARow = lost !== undefined && now - lost.until <= longestGapMs;
    lost = { since: isInARow ? (lost?.since ?? now) : now, until: now };
    if (flags === 0 || asker === 'reset' || now - lost.since >= acceptLossAfterMs) {
      lost = undefined;
      const outcome = await accepted(fetched, known);
      if (flags === 0 || !('snapshot' in outcome)) return outcome;
      const isEmptyBecause =
        asker === 'reset'
          ? 'as invalidate() has accepted'
          : `as Flipt has said for ${Math.round(acceptLossAfterMs / 1_000)} s (cache.staleOnErrorForMs)`;
      return { ...outcome, isEmptyBecause };
    }
    const words = said.message ?? `Flipt at ${url} serves no flag in the namespace ${quoted(namespace)}`;
    const failure: Failure = {
      kind: 'flags-lost',
      message: `${words}, although it has served ${flags === 1 ? 'one flag' : `${flags} flags`} before`,
    };
    return failedBy(failure);
  };
}

/**
 * If more than this many milliseconds, and more than three intervals of `pollMs`, lie between two answers without
 * flags, the provider does not assume that Flipt had no flags in between. These milliseconds are twice the longest
 * interval between polls that slow snapshots can cause.
 */
const LONGEST_GAP_MS = 600_000;

/**
 * Returns an object if the service has answered that it has no flags, or does not know the namespace or the
 * environment. Returns `undefined` if the service has flags, or if the poll has failed for another reason. The returned
 * object has no `message` if the service has served a snapshot without flags.
 */
function withoutFlags(fetched: Fetched): { readonly message?: string } | undefined {
  if ('snapshot' in fetched) return hasFlags(fetched.snapshot) ? undefined : {};
  return fetched.kind === 'failed' && fetched.isUnknown ? fetched.failure : undefined;
}

/** Returns a snapshot without flags for this namespace. */
async function emptied({ semantics }: Snapshot, namespace: string, clock: Clock): Promise<Snapshot> {
  const body = Buffer.from(JSON.stringify({ flags: [], semantics }));
  return snapshotOf(await parseSnapshot(body, namespace, clock), clock);
}
