import type { UnreadableFlag } from '../model/answer.js';
import type { Problem } from '../model/events/flipt-event.js';
import type { Clock } from '../base/time/clock.js';
import type { ProviderSettings } from '../options/settings.js';
import type { SnapshotSource } from '../snapshot/source.js';
import type { Counts } from './counts.js';
import type { FliptStatus, WatchStatus } from './flipt-status.js';
import type { StateSince } from './state.js';

const MOST_UNREADABLE = 20;

/** What a running provider says about itself. */
export interface Readings {
  readonly problems: readonly Problem[];
  readonly overloadSince: number | undefined;
  readonly source: SnapshotSource | undefined;
  readonly cache: { readonly entries: number; readonly bytes: number };
  readonly inFlight: number;
  readonly waiting: number;
  readonly tracking: { readonly waiting: number; readonly isFailing: boolean } | undefined;
}

export function statusOf(
  settings: ProviderSettings,
  { state, at, why }: StateSince,
  counts: Counts,
  readings: Readings | undefined,
  clock: Clock,
): FliptStatus {
  const { namespace, environment, evaluation, breaker, tracking } = settings;
  const { hits, staleHits, joined, misses, attempts, retried, shed, trackingSent, trackingLost } =
    counts.sums;
  const { inFlight = 0, waiting = 0, source, overloadSince } = readings ?? {};
  const { circuit } = counts;
  const store = source?.store();
  return {
    condition: state,
    since: new Date(at).toISOString(),
    why,
    problems: readings?.problems ?? [],
    namespace,
    environment: environment ?? null,
    fliptVersion: source?.fliptVersion() ?? null,
    evaluation,
    circuit: breaker && readings ? { state: circuit?.state ?? 'closed', since: dateOf(circuit?.at) } : null,
    overload: { since: dateOf(overloadSince), shed },
    watch: source ? watchStatus(source, settings, counts, clock) : null,
    store: store ? { isFailing: store.isFailing, savedAt: dateOf(store.savedAt) } : null,
    cache: { entries: 0, bytes: 0, ...readings?.cache, hits, staleHits, joined, misses },
    requests: { sent: attempts + inFlight, failed: { ...counts.failed }, retried, inFlight, waiting },
    tracking: tracking
      ? { isFailing: false, waiting: 0, ...readings?.tracking, sent: trackingSent, lost: trackingLost }
      : null,
  };
}

function watchStatus(
  source: SnapshotSource,
  { watch }: ProviderSettings,
  { sums, watch: condition, stream }: Counts,
  clock: Clock,
): WatchStatus {
  const snapshot = source.snapshot();
  const unreadable = snapshot?.flags.foundUnreadable ?? new Map<string, UnreadableFlag>();
  const confirmedAt = source.poller.confirmedAt();
  const ageMs = confirmedAt === undefined ? undefined : clock.now() - confirmedAt;
  const seenWithinMs = source.poller.seenWithinMs();
  return {
    mode: watch === undefined ? 'off' : watch.stream && stream !== 'not-offered' ? 'stream' : 'poll',
    condition: condition ?? null,
    version: snapshot?.version ?? null,
    semantics: snapshot?.semantics ?? null,
    flags: snapshot?.flags.keys().size ?? null,
    unreadable: {
      count: unreadable.size,
      flags: [...unreadable].slice(0, MOST_UNREADABLE).map(([key, { reason }]) => ({ key, reason })),
    },
    confirmedAt: dateOf(ageMs === undefined ? undefined : clock.date() - ageMs),
    ageMs: ageMs === undefined ? null : Math.round(ageMs),
    nextPollAt: dateOf(source.poller.nextPollAt()),
    seenWithinMs: seenWithinMs === Infinity ? null : Math.round(seenWithinMs),
    stream: stream ?? null,
    polls: sums.polls,
    failedPolls: sums.failedPolls,
    changedFlags: sums.changedFlags,
  };
}

function dateOf(epochMs: number | undefined): string | null {
  return epochMs === undefined ? null : new Date(epochMs).toISOString();
}
