import type { Clock } from '../../base/time/clock.js';
import { oneAfterAnother } from '../../base/time/background-work.js';
import type { SharedRecord, SharedTurn } from '../../options/snapshot-store.js';
import type { Fetched, FetchSnapshot, Known, Served } from '../fetch-snapshot.js';
import { hasFlags } from '../snapshot.js';
import { isOfUser, type Asker } from '../tag-trust.js';
import { keptText } from '../kept-text.js';
import { NO_COST } from '../poll-cost.js';
import { HeldLease } from './lease.js';
import { NO_NEWS, recordVersion, storeReader, type SharedParts } from './store-reader.js';

/**
 * When two machines measure the same duration, their results are assumed to differ by less than this share of the
 * duration.
 */
const MOST_DRIFT = 0.05;

/**
 * Makes the function that fetches the snapshot if many instances share a store. If this instance holds the lease, it
 * polls the service. If another instance holds the lease, this instance usually reads the snapshot from the store.
 * After `invalidate()`, or if the store fails or has nothing to use, this instance polls the service itself. A snapshot
 * that this instance has got from the service or from the store is not replaced by one that the service has confirmed
 * earlier.
 */
export function sharedFetch(fetch: FetchSnapshot, shared: Omit<SharedParts, 'lease'>, pollMs: number) {
  const { calls, clock } = shared;
  const lease = new HeldLease(calls, pollMs, clock);
  const parts = { ...shared, lease };
  const reader = storeReader(parts, pollMs);
  const published = publisher(reader.published, parts);
  const service = pausedService(fetch, clock);

  const look: FetchSnapshot = async (known, asker = 'schedule') => {
    await reader.startsWith(known);
    await published.ended();
    const sentAt = clock.now();
    const turn = await lease.turn();
    if (turn === undefined) return askAlone(known, asker);
    const { fence, record, time } = turn;
    const found = record && { record, at: sentAt - longestAgeMs(time - record.confirmedAt) };
    if (fence !== undefined) {
      // The last holder of the lease may have written a newer snapshot into the store than this instance has. If the
      // request sends the ETag of the store's snapshot, the service sends the whole snapshot only if it has changed.
      const newer = await reader.load(known, found);
      const stored = typeof newer === 'string' ? undefined : newer;
      return askForAll(stored ?? known, stored, asker, { fence, record, time });
    }
    const read = isOfUser(asker) ? undefined : await reader.read(known, found);
    return read ?? ask(known, isOfUser(asker) ? asker : 'schedule');
  };

  const askAlone = async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const fetched = await service(known, asker);
    if ('snapshot' in fetched) await reader.fromService(fetched);
    return fetched;
  };
  /**
   * Polls the service. Even if a poll costs Flipt much, this instance does not poll more rarely, because other
   * instances may rely on its polls.
   */
  const ask = async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const fetched = await askAlone(known, asker);
    return 'snapshot' in fetched ? { ...fetched, cost: NO_COST } : fetched;
  };

  /**
   * Polls the service as the holder of the lease. `stored` is a newer snapshot that another instance has written into
   * the store, or `undefined` if this instance has loaded no newer snapshot from the store.
   */
  const askForAll = async (
    base: Known | undefined,
    stored: Served | undefined,
    asker: Asker,
    turn: HeldTurn,
  ): Promise<Fetched> => {
    const fetched = await ask(base, asker);
    if (fetched.kind === 'overtaken') return fetched;
    if (fetched.kind === 'no-news') return stored ?? fetched;
    if (fetched.kind === 'failed') {
      // If the service has asked for a pause, the pause holds for all instances, so this instance can keep the lease.
      if (fetched.retryAfterMs === undefined) lease.pollFailed(fetched.isSilent, base !== undefined);
      if (lease.fence() === undefined) void calls.release();
      return stored ?? fetched;
    }
    lease.polled();
    // If an instance could not load the store's snapshot at its start, it must not replace that snapshot by a snapshot
    // without flags.
    const isLoss = base === undefined && turn.record !== undefined && !hasFlags(fetched.snapshot);
    if (isLoss) return fetched;
    published.add(fetched, turn);
    return fetched;
  };

  return {
    fetch: look,
    /** Completes pending writes, and gives the lease back. The promise never rejects. */
    close: () => lease.close(published.ended),
  };
}

/** The store's answer to an instance that holds the lease. */
interface HeldTurn extends SharedTurn {
  readonly fence: number;
}

/** Makes the functions that write the holder's snapshots into the store, one after another. */
function publisher(isPublished: (record: SharedRecord) => void, { calls, lease, place, clock }: SharedParts) {
  // Two requests to the service can be under way at the same time, so their snapshots are written into the store one
  // after another.
  const turns = oneAfterAnother();

  /**
   * Writes a snapshot into the store. The record says that the snapshot was confirmed at the time of the store's answer
   * to `turn`. The store answered before the service was asked, so the record never makes a snapshot seem younger than
   * it is.
   */
  const publish = async (newest: Known, { fence, record, time }: HeldTurn): Promise<void> => {
    const version = await recordVersion(newest.snapshot, clock);
    const publication = { fence, version, confirmedAt: time };
    const at = clock.now();
    const whole = async () => {
      const confirmed = { ...newest, confirmedAt: at, record: version };
      return calls.publish({ ...publication, text: await keptText(confirmed, place, clock) });
    };
    const isThere = record?.version === version;
    const first = isThere ? await calls.publish({ ...publication, text: undefined }) : await whole();
    const outcome = first === 'missing' ? await whole() : first;
    if (outcome === 'published') isPublished(publication);
    else lease.notWritten(fence, outcome !== undefined);
    // An instance that cannot write gives the lease back, so that another instance can write.
    if (outcome === undefined) await calls.release();
  };

  return {
    add: (newest: Known, turn: HeldTurn) => {
      void turns.add(() => publish(newest, turn).catch(calls.complain));
    },
    /** Resolves when each added snapshot has been written, or when writing it has failed. The promise never rejects. */
    ended: turns.ended,
  };
}

/**
 * Converts an age that was measured by the store's clock to an age by this machine's clock. As long as the two clocks
 * agree within `MOST_DRIFT`, the resulting age can be too long, but not too short.
 */
function longestAgeMs(storeMs: number): number {
  // The store may have rounded its times, so that the age by the store's clock can be too short by up to a millisecond.
  return Math.max(0, storeMs) * (1 + MOST_DRIFT) + 1;
}

/** Makes a function that polls the service, unless the service has asked for a pause. */
function pausedService(fetch: FetchSnapshot, clock: Clock) {
  let pausesUntil = -Infinity;
  return async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    if (clock.now() < pausesUntil) return NO_NEWS;
    const fetched = await fetch(known, asker);
    if (fetched.kind === 'failed') pausesUntil = clock.now() + (fetched.retryAfterMs ?? 0);
    return fetched;
  };
}
