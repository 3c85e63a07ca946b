import type { Clock } from '../../time/clock.js';
import type { SharedRecord, SharedTurn, SnapshotPlace } from '../../stores/snapshot-store.js';
import type { Asker, Fetched, FetchSnapshot, Known } from '../fetch-snapshot.js';
import type { BodyCost } from '../body-cost.js';
import type { Snapshot } from '../snapshot.js';
import { storedText } from '../stored-text.js';
import { isTooSoon } from '../watch/poll-schedule.js';
import { heldLease } from './lease-renewal.js';
import { left, NEWCOMER, pollFailed, polled, pollSilent } from './lease-rules.js';
import { recordTexts, recordVersions, type NotYet } from './store-record.js';
import type { StoreCalls } from './store-calls.js';

/** What this instance knows about the snapshot in force. Times are milliseconds of the clock's `now`. */
interface Learned {
  /** To compare with the version of the store's record. */
  readonly version: string | undefined;
  /** May be newer than the watch's: the look that has found it may still wait for the service. */
  readonly snapshot: Snapshot | undefined;
  /** When the service served or confirmed the snapshot. A record of an earlier time may hold an older one. */
  readonly at: number;
}

/** What a look at the store has found. */
interface Found {
  readonly turn: SharedTurn;
  /** When the service served or confirmed what the record holds. -Infinity: there is no record. */
  readonly at: number;
}

/** A snapshot that another instance has fetched. */
type Stored = Extract<Fetched, { readonly kind: 'snapshot' }>;

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
  { place, pollMs }: { readonly place: SnapshotPlace; readonly pollMs: number },
  clock: Clock,
) {
  const lease = heldLease(calls, pollMs, clock);
  let learned: Learned | undefined;
  let confirmedAt = -Infinity;
  /** How long a poll may be silent, before this instance has measured it. */
  let fullBodyMs = 0;
  let polledAt = -Infinity;
  let pausesUntil = -Infinity;
  let waitsSince: number | undefined;
  /** The last record that was taken over. Seen again, it is no news, whatever the store's clock says. */
  let taken: SharedRecord | undefined;
  let publishing: Promise<void> = Promise.resolve();
  const inBackground = clock.hasBackground;
  /** Without a background, a call must not end before its writes. */
  const hasWritten = async (written: Promise<void>) => (inBackground ? undefined : written);
  const versionOf = recordVersions();
  const textOf = recordTexts(calls, place, clock);

  const look: FetchSnapshot = async (known, asker = 'schedule') => {
    // The kept snapshot came from the store, or is as good as the store's.
    learned ??= { version: known && versionOf(known), snapshot: known?.snapshot, at: -Infinity };
    fullBodyMs ||= known?.fullBodyMs ?? 0;
    if (inBackground) await publishing;
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
    if (asker === 'user') return ask(known, asker);
    return readStore(known, found);
  };

  /** Asks the service, unless it must be spared now. */
  const ask = async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const now = clock.now();
    const mayWait = asker === 'schedule' || asker === 'stream';
    const isSpared = mayWait && isTooSoon(cost.read(), polledAt, now);
    if (now < pausesUntil || isSpared) return { kind: 'no-news' };
    polledAt = now;
    const fetched = await fetch(known && { ...known, fullBodyMs });
    if (fetched.kind === 'failed') pausesUntil = clock.now() + (fetched.retryAfterMs ?? 0);
    if (fetched.kind === 'failed' || fetched.kind === 'overtaken') return fetched;
    const newest = fetched.kind === 'snapshot' ? fetched : known;
    confirmedAt = clock.now();
    learned = { version: newest && versionOf(newest), snapshot: newest?.snapshot, at: confirmedAt };
    return fetched;
  };

  const askForAll = async (
    known: Known | undefined,
    asker: Asker,
    fence: number,
    found: Found,
  ): Promise<Fetched> => {
    // The last holder may have written a newer snapshot. Its ETag keeps the service from sending the whole snapshot
    // again.
    const newer = isNews(known, found) ? await load(known, found) : undefined;
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
      if (lease.current().fence === undefined) await hasWritten(calls.release());
      return stored ?? fetched;
    }
    lease.become(polled(lease.current()));
    const newest = fetched.kind === 'snapshot' ? fetched : base;
    if (newest !== undefined) {
      // After the last one, because a request may have been sent beside another.
      publishing = (inBackground ? publishing : Promise.resolve())
        .then(() => publish(newest, fence, found.turn))
        .catch(calls.complain);
      await hasWritten(publishing);
    }
    return stored !== undefined && fetched.kind === 'unchanged' ? justConfirmed(stored, fetched) : fetched;
  };

  /** The turn was taken before the service was asked. So its time, which the record gets, is never too late. */
  const publish = async (newest: Known, fence: number, { record, time }: SharedTurn): Promise<void> => {
    const version = versionOf(newest);
    const publication = { fence, version, confirmedAt: time, fullBodyMs: cost.read().ms };
    const at = clock.now();
    const whole = async () => {
      const confirmed = { ...newest, confirmedAt: at, record: version };
      return calls.publish({ ...publication, text: await storedText(confirmed, place, clock) });
    };
    const isThere = record?.version === version;
    const first = isThere ? await calls.publish({ ...publication, text: undefined }) : await whole();
    const outcome = first === 'missing' ? await whole() : first;
    if (outcome === 'published') {
      taken = publication;
      calls.praise();
    } else if (lease.current().fence === fence)
      lease.become(outcome === undefined ? left(pollMs, clock.now()) : NEWCOMER);
    // An instance that cannot write must not keep others from writing.
    if (outcome === undefined) await calls.release();
  };

  const readStore = async (known: Known | undefined, found: Found): Promise<Fetched> => {
    const { record } = found.turn;
    if (record === undefined) return known === undefined ? wait(known) : NO_NEWS;
    if (record.version === taken?.version && record.confirmedAt === taken.confirmedAt) return NO_NEWS;
    if (isKnown(known, record)) return confirmedBy(record, found.at);
    if (!isNews(known, found)) return NO_NEWS;
    const loaded = await load(known, found);
    if (loaded === 'overtaken') return NO_NEWS;
    if (typeof loaded === 'string') return wait(known, loaded);
    return loaded ?? ask(known, 'schedule');
  };

  const isKnown = (known: Known | undefined, { version }: SharedRecord) =>
    version === learned?.version && known?.snapshot === learned.snapshot;
  const isNews = (known: Known | undefined, { turn: { record }, at }: Found) =>
    record !== undefined && !isKnown(known, record) && (learned === undefined || at >= learned.at);

  const confirmedBy = (record: SharedRecord, at: number): Fetched => {
    take(record);
    if (at <= confirmedAt) return NO_NEWS;
    calls.praise();
    confirmedAt = at;
    return { kind: 'unchanged', confirmedAt: at, cost: cost.read() };
  };

  const load = async (
    known: Known | undefined,
    found: Found,
  ): Promise<Stored | NotYet | 'overtaken' | undefined> => {
    const { turn, at } = found;
    const { record } = turn;
    if (record === undefined) return undefined;
    const read = await textOf(record, known?.snapshot);
    if (read === undefined || typeof read === 'string') return read;
    // While the text was on its way, the service may have answered another look.
    if (!isNews(known, found)) return 'overtaken';
    const { snapshot, etag } = read;
    learned = { version: record.version, snapshot, at };
    confirmedAt = Math.max(confirmedAt, at);
    take(record);
    calls.praise();
    return { kind: 'snapshot', snapshot, etag, fullBodyMs, confirmedAt: at, cost: cost.read() };
  };

  const take = (record: SharedRecord) => {
    taken = record;
    waitsSince = undefined;
    fullBodyMs = record.fullBodyMs || fullBodyMs;
    if (lease.current().fence === undefined) cost.written(record.fullBodyMs);
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
    close: () => lease.close(() => publishing),
  };
}

const NO_NEWS = { kind: 'no-news' } as const;

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
