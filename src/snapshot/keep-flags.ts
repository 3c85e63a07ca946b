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
  /** A kept snapshot that is still being read. */
  readonly expected?: ExpectedSnapshot | undefined;
}

/**
 * What the service has served stays until it serves something else. So where flags are known, a snapshot without any,
 * and a namespace that is suddenly unknown, are polls that failed: `flags-lost`. They count only if a user asks, who
 * calls `invalidate()` without keys, or after `acceptLossAfterMs`.
 */
export function keepingFlags(
  fetch: FetchSnapshot,
  { url, namespace, acceptLossAfterMs, expected }: KeepFlagsSettings,
  clock: Clock,
): FetchSnapshot {
  /** When the service was first seen without flags, since it last had some. */
  let lostSince: number | undefined;

  const accepted = async (fetched: Fetched, known: Known): Promise<Fetched> => {
    if ('snapshot' in fetched) return fetched;
    const isEmpty = !hasFlags(known.snapshot);
    const snapshot = isEmpty ? known.snapshot : await emptied(known.snapshot, namespace, clock);
    const kind = isEmpty ? 'unchanged' : 'snapshot';
    return { ...knownOf(known), etag: undefined, snapshot, kind, cost: NO_COST };
  };

  return async (inForce, asker) => {
    const fetched = await fetch(inForce, asker);
    const said = withoutFlags(fetched);
    const known = inForce ?? (said && (await expected?.whole));
    if (said === undefined || known === undefined) {
      if ('snapshot' in fetched) lostSince = undefined;
      return fetched;
    }
    const flags = known.snapshot.keys().size;
    lostSince ??= clock.now();
    if (flags === 0 || asker === 'reset' || clock.now() - lostSince >= acceptLossAfterMs) {
      lostSince = undefined;
      return accepted(fetched, known);
    }
    const words = said.message ?? `Flipt at ${url} serves no flag in the namespace ${quoted(namespace)}`;
    const failure: Failure = { kind: 'flags-lost', message: `${words}, where it has served ${flags}` };
    return failedBy(failure);
  };
}

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
