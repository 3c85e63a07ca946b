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
  /** The average number of milliseconds between two polls. */
  readonly pollMs: number;
  /**
   * The snapshot that an earlier run has saved, while its flags are still being read. The member is `undefined` if no
   * saved snapshot is being read.
   */
  readonly expected?: ExpectedSnapshot | undefined;
}

/**
 * Wraps `fetch` so that the provider keeps its flags when Flipt seems to have lost its flags. If the provider knows
 * flags, and a poll finds a snapshot without flags or an unknown namespace, the poll fails with `flags-lost`. The
 * provider accepts the loss in two cases: a user calls `invalidate()` without keys, or the service has given no other
 * answer for `acceptLossAfterMs`.
 */
export function keepingFlags(
  fetch: FetchSnapshot,
  { url, namespace, acceptLossAfterMs, pollMs, expected }: KeepFlagsSettings,
  clock: Clock,
): FetchSnapshot {
  /**
   * The times of the first and the last answer of the present row of answers without flags. Both times are missing if
   * the last answer had flags or the last poll failed.
   */
  let lost: { readonly since: number; readonly until: number } | undefined;
  /**
   * The saved snapshot of an earlier run. The reference is dropped when a snapshot is in force, so that the saved
   * snapshot does not stay in memory.
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
    const known = inForce ?? (said && (await unread?.whole));
    if (said === undefined || known === undefined) {
      // A failed poll ends the row of answers without flags, too. The loss counts as intended only if the service has
      // answered without flags all the time.
      lost = undefined;
      return fetched;
    }
    const flags = known.snapshot.flags.keys().size;
    const now = clock.now();
    // If several instances share a store, another instance may have polled between these two answers and found flags.
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
 * If two answers without flags are further apart than these milliseconds, the two do not belong to the same row of
 * answers. The limit is twice the longest interval of polls to a slow Flipt.
 */
const LONGEST_GAP_MS = 600_000;

/**
 * Returns an object if the service has answered that it has no flags. Returns `undefined` if the service has flags or
 * the poll has failed. The object has no `message` if the service has served a snapshot without flags.
 */
function withoutFlags(fetched: Fetched): { readonly message?: string } | undefined {
  if ('snapshot' in fetched) return hasFlags(fetched.snapshot) ? undefined : {};
  return fetched.kind === 'failed' && fetched.isUnknown ? fetched.failure : undefined;
}

/** Returns a snapshot of the same namespace that has no flags. */
async function emptied({ semantics }: Snapshot, namespace: string, clock: Clock): Promise<Snapshot> {
  const body = Buffer.from(JSON.stringify({ flags: [], semantics }));
  return snapshotOf(await parseSnapshot(body, namespace, clock), clock);
}
