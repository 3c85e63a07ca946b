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
  /** Once the service has had no flags for so many milliseconds, that is meant. */
  readonly acceptLossAfterMs: number;
  /** Between two polls, on average. */
  readonly pollMs: number;
  /** A kept snapshot that is still being read. */
  readonly expected?: ExpectedSnapshot | undefined;
}

/**
 * What the service has served stays until it serves something else. So where flags are known, a snapshot without any,
 * and a namespace that is suddenly unknown, are polls that failed: `flags-lost`. They count only if a user asks, who
 * calls `invalidate()` without keys, or after `acceptLossAfterMs` in which no other answer came.
 */
export function keepingFlags(
  fetch: FetchSnapshot,
  { url, namespace, acceptLossAfterMs, pollMs, expected }: KeepFlagsSettings,
  clock: Clock,
): FetchSnapshot {
  /** Since when each answer has been without flags, and when the last of them came. */
  let lost: { readonly since: number; readonly until: number } | undefined;
  const longestGapMs = Math.max(LONGEST_GAP_MS, 3 * pollMs);

  const accepted = async (fetched: Fetched, known: Known): Promise<Fetched> => {
    if ('snapshot' in fetched) return fetched;
    const isEmpty = !hasFlags(known.snapshot);
    const snapshot = isEmpty ? known.snapshot : await emptied(known.snapshot, namespace, clock);
    const kind = isEmpty ? 'unchanged' : 'snapshot';
    return { ...knownOf(known), etag: undefined, snapshot, kind, cost: NO_COST };
  };

  return async (inForce, asker) => {
    const fetched = await fetch(inForce, asker);
    if (fetched.kind === 'overtaken') return fetched;
    const said = withoutFlags(fetched);
    const known = inForce ?? (said && (await expected?.whole));
    if (said === undefined || known === undefined) {
      // Also after a failure: only a service that answers can say for so long that it has no flags.
      lost = undefined;
      return fetched;
    }
    const flags = known.snapshot.flags.keys().size;
    const now = clock.now();
    // With a shared store, another instance may have polled meanwhile, and found flags.
    const isInARow = lost !== undefined && now - lost.until <= longestGapMs;
    lost = { since: isInARow ? (lost?.since ?? now) : now, until: now };
    if (flags === 0 || asker === 'reset' || now - lost.since >= acceptLossAfterMs) {
      lost = undefined;
      return accepted(fetched, known);
    }
    const words = said.message ?? `Flipt at ${url} serves no flag in the namespace ${quoted(namespace)}`;
    const failure: Failure = { kind: 'flags-lost', message: `${words}, where it has served ${flags}` };
    return failedBy(failure);
  };
}

/** Twice the longest interval of the polls of a slow Flipt. */
const LONGEST_GAP_MS = 600_000;

/** What the service says, if it has no flags. Without a `message`, it has served a snapshot without any. */
function withoutFlags(fetched: Fetched): { readonly message?: string } | undefined {
  if ('snapshot' in fetched) return hasFlags(fetched.snapshot) ? undefined : {};
  return fetched.kind === 'failed' && fetched.isUnknown ? fetched.failure : undefined;
}

/** The same namespace without flags. */
async function emptied({ semantics }: Snapshot, namespace: string, clock: Clock): Promise<Snapshot> {
  const body = Buffer.from(JSON.stringify({ flags: [], semantics }));
  return snapshotOf(await parseSnapshot(body, namespace, clock), clock);
}
