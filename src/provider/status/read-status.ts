import type { EventHistory } from '../diagnostics/event-history.js';
import type { UnreadableFlag } from '../../model/answer.js';
import type { ProviderSettings } from '../../options/settings.js';
import type { Clock } from '../../base/time/clock.js';
import type { StateSince } from './provider-state.js';
import type { Readings } from '../pipeline.js';
import type { FliptStatus, WatchStatus } from './flipt-status.js';

/** `getStatus()` lists at most this many unreadable flags, because there can be thousands of unreadable flags. */
const MOST_UNREADABLE = 20;

/**
 * Returns the result of `getStatus()`. `readings` has the present numbers and states of a running provider, and is
 * `undefined` after the close has ended.
 */
export function statusOf(
  { namespace, environment, evaluation, breaker, watch, tracking }: ProviderSettings,
  { state, at, why }: StateSince,
  history: EventHistory,
  readings: Readings | undefined,
  clock: Clock,
): FliptStatus {
  const counts = history.counts();
  const { hits, staleHits, joined, misses, attempts, failed, retried, shed, trackingSent, trackingLost } =
    counts;
  const { circuit, watch: watchCondition, stream } = history.latest();
  const { inFlight = 0, waiting = 0, snapshots, overloadSince } = readings ?? {};
  const opened = snapshots?.opened();
  const store = opened?.store();
  const watching = opened;
  const snapshot = watching?.snapshot();
  const unreadable = snapshot?.flags.foundUnreadable ?? new Map<string, UnreadableFlag>();
  const confirmedAt = watching?.confirmedAt();
  const ageMs = confirmedAt === undefined ? undefined : clock.now() - confirmedAt;
  const seenWithinMs = watching?.seenWithinMs() ?? Infinity;
  const watchStatus: WatchStatus = {
    mode: watch === undefined ? 'off' : watch.stream && stream !== 'not-offered' ? 'stream' : 'poll',
    condition: watchCondition ?? null,
    version: snapshot?.version ?? null,
    semantics: snapshot?.semantics ?? null,
    flags: snapshot?.flags.keys().size ?? null,
    unreadable: {
      count: unreadable.size,
      flags: [...unreadable].slice(0, MOST_UNREADABLE).map(([key, { reason }]) => ({ key, reason })),
    },
    confirmedAt: dateOf(ageMs === undefined ? undefined : clock.date() - ageMs),
    ageMs: ageMs === undefined ? null : Math.round(ageMs),
    nextPollAt: dateOf(watching?.nextPollAt()),
    seenWithinMs: seenWithinMs === Infinity ? null : Math.round(seenWithinMs),
    stream: stream ?? null,
    polls: counts.polls,
    failedPolls: counts.failedPolls,
    changedFlags: counts.changedFlags,
  };
  return {
    condition: state,
    since: new Date(at).toISOString(),
    why,
    problems: readings?.problems ?? [],
    namespace,
    environment: environment ?? null,
    fliptVersion: opened?.fliptVersion() ?? null,
    evaluation,
    circuit: breaker && readings ? { state: circuit?.state ?? 'closed', since: dateOf(circuit?.at) } : null,
    overload: { since: dateOf(overloadSince), shed },
    watch: snapshots ? watchStatus : null,
    store: store ? { isFailing: store.isFailing, savedAt: dateOf(store.savedAt) } : null,
    cache: { entries: 0, bytes: 0, ...readings?.cache, hits, staleHits, joined, misses },
    requests: { sent: attempts + inFlight, failed, retried, inFlight, waiting },
    tracking: tracking
      ? { isFailing: false, waiting: 0, ...readings?.tracking, sent: trackingSent, lost: trackingLost }
      : null,
  };
}

function dateOf(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}
