import type { Clock } from '../../time/clock.js';
import type { SnapshotPlace } from '../../stores/snapshot-store.js';
import type { BodyCost } from '../body-cost.js';
import type { Asker, Fetched, FetchSnapshot, Known } from '../fetch-snapshot.js';
import { openLearned, type Found, type Stored } from './learned.js';
import { heldLease } from './lease-renewal.js';
import { polled, pollFailed, pollSilent } from './lease-rules.js';
import { publisher } from './publisher.js';
import { NO_NEWS, sparedService } from './spared-service.js';
import type { StoreCalls } from './store-calls.js';
import { recordTexts, type NotYet } from './store-record.js';

/** Soon, because what an instance waits for is under way: a first snapshot, or the text of a new record. */
const LOOK_AGAIN_MS = 500;
/** Two clocks drift apart by less than this share of a time. */
const MOST_DRIFT = 0.05;
/** The longest that fetching a snapshot, or reading one from a slow store, may take. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks the service if this instance holds the lease, and reads the store if another one does. If the store fails, asks
 * the service. Never goes back to an older snapshot, whatever the store says.
 */
export function sharedFetch(
  { fetch, cost }: { readonly fetch: FetchSnapshot; readonly cost: BodyCost },
  calls: StoreCalls,
  settings: { readonly place: SnapshotPlace; readonly pollMs: number },
  clock: Clock,
) {
  const { place, pollMs } = settings;
  const lease = heldLease(calls, pollMs, clock);
  const learned = openLearned(cost, calls.praise);
  const published = publisher({ calls, lease, learned, cost }, settings, clock);
  const service = sparedService(fetch, cost, clock);
  const textOf = recordTexts(calls, place, clock);
  let waitsSince: number | undefined;

  const look: FetchSnapshot = async (known, asker = 'schedule') => {
    learned.startsWith(known);
    // Without a background, the writes of another call may have ended with it.
    if (clock.hasBackground) await published.ended();
    const sentAt = clock.now();
    const turn = await lease.turn();
    if (turn === undefined) return ask(known, asker);
    const at = turn.record && sentAt - longestAgeMs(turn.time - turn.record.confirmedAt);
    const found = { turn, at: at ?? -Infinity };
    const { fence } = lease.current();
    if (fence !== undefined) {
      cost.holds();
      return askForAll(known, asker, fence, found);
    }
    return asker === 'user' ? ask(known, asker) : readStore(known, found);
  };

  const ask = async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const fetched = await service(known && { ...known, fullBodyMs: learned.fullBodyMs() }, asker);
    if (fetched.kind === 'snapshot') learned.fromService(fetched, clock.now());
    if (fetched.kind === 'unchanged') learned.fromService(known, clock.now());
    return fetched;
  };

  /** As the holder of the lease. */
  const askForAll = async (
    known: Known | undefined,
    asker: Asker,
    fence: number,
    found: Found,
  ): Promise<Fetched> => {
    // The last holder may have written a newer snapshot. Its ETag keeps the service from sending the whole snapshot
    // again.
    const newer = await load(known, found);
    const stored = typeof newer === 'string' ? undefined : newer;
    const base = stored ?? known;
    const fetched = await ask(base, asker);
    if (fetched.kind === 'overtaken') return fetched;
    if (fetched.kind === 'no-news') return stored ?? fetched;
    if (fetched.kind === 'failed') {
      // If the service has asked for a pause, that holds for all instances.
      if (fetched.retryAfterMs === undefined) {
        const next = fetched.isSilent ? pollSilent : pollFailed;
        lease.become(next(lease.current(), base !== undefined, pollMs, clock.now()));
      }
      if (lease.current().fence === undefined) await released();
      return stored ?? fetched;
    }
    lease.become(polled(lease.current()));
    const newest = fetched.kind === 'snapshot' ? fetched : base;
    if (newest !== undefined) await published.add(newest, fence, found.turn);
    return stored !== undefined && fetched.kind === 'unchanged' ? justConfirmed(stored, fetched) : fetched;
  };
  /** Without a background, a call must not end before its writes. */
  const released = async () => {
    const ended = calls.release();
    if (!clock.hasBackground) await ended;
  };

  /** While another instance holds the lease. */
  const readStore = async (known: Known | undefined, found: Found): Promise<Fetched> => {
    const { record } = found.turn;
    if (record === undefined) return known === undefined ? wait(known) : NO_NEWS;
    if (learned.isTaken(record)) return NO_NEWS;
    if (learned.isKnown(known, record)) {
      cost.written(record.fullBodyMs);
      waitsSince = undefined;
      return learned.confirmedBy(record, found.at);
    }
    if (!learned.isNews(known, found)) return NO_NEWS;
    const loaded = await load(known, found);
    if (loaded === 'overtaken') return NO_NEWS;
    if (typeof loaded === 'string') return wait(known, loaded);
    return loaded ?? ask(known, 'schedule');
  };

  /** The snapshot of the record; `undefined` if it is no news, or cannot be used. */
  const load = async (
    known: Known | undefined,
    found: Found,
  ): Promise<Stored | NotYet | 'overtaken' | undefined> => {
    const { record } = found.turn;
    if (record === undefined || !learned.isNews(known, found)) return undefined;
    const read = await textOf(record, known?.snapshot);
    if (read === undefined || typeof read === 'string') return read;
    // While the text was on its way, the service may have answered another look.
    if (!learned.isNews(known, found)) return 'overtaken';
    if (lease.current().fence === undefined) cost.written(record.fullBodyMs);
    waitsSince = undefined;
    return learned.fromStore(read, record, found.at);
  };

  /** Looks again soon; for a text that the store does not have yet, less and less often. In the end, asks the service. */
  const wait = (known: Known | undefined, why?: NotYet): Fetched | Promise<Fetched> => {
    const now = clock.now();
    waitsSince ??= now;
    const waitedMs = now - waitsSince;
    if (waitedMs < LONGEST_WAIT_MS) {
      const againInMs = why === 'outdated' ? Math.max(LOOK_AGAIN_MS, waitedMs) : LOOK_AGAIN_MS;
      return { kind: 'no-news', againInMs: Math.min(pollMs, againInMs) };
    }
    if (why !== undefined) calls.complain('the snapshot of its record does not come');
    return ask(known, 'schedule');
  };

  return {
    fetch: look,
    /** Completes pending writes, and gives the lease back. Never rejects. */
    close: () => lease.close(published.ended),
  };
}

/** The stored snapshot, but confirmed just now: the service has said that it is still in force. */
function justConfirmed(stored: Stored, { cost }: Pick<Stored, 'cost'>): Stored {
  const { kind, snapshot, etag, fullBodyMs } = stored;
  return { kind, snapshot, etag, fullBodyMs, cost };
}

/** The longest that an age by the store's clock may be by this machine's clock: too long rather than too short. */
function longestAgeMs(storeMs: number): number {
  // Each of the two times may be rounded by up to a millisecond.
  return Math.max(0, storeMs) * (1 + MOST_DRIFT) + 1;
}
