import type { Clock } from '../../clock.js';
import type { SharedRecord, SharedTurn, SnapshotPlace } from '../../options/snapshot-options.js';
import { messageOf } from '../../text/describe.js';
import { digestOf } from '../changed-flags.js';
import type { Asker, Fetched, FetchSnapshot, Known } from '../fetch.js';
import type { Snapshot } from '../snapshot.js';
import { readStored, storedText } from '../snapshot-text.js';
import { isTooSoon, LONGEST_PAUSE_MS } from '../poll-schedule.js';
import { left, NEWCOMER, pollFailed, polled, renewalMs, turned, wantedLeaseMs, type Lease } from './lease.js';
import type { StoreCalls } from './store-calls.js';

export interface SharedFetch {
  readonly fetch: FetchSnapshot;
  /** Completes pending writes, and gives the lease back. Never rejects. */
  readonly close: () => Promise<void>;
}

/** What this instance knows about the snapshot in force. Times are milliseconds of the clock's `now`. */
interface Learned {
  /** To compare with the version of the store's record. */
  readonly version: string | undefined;
  /** The snapshot shows what the service said at this time. A record that was confirmed earlier may be older. */
  readonly at: number;
}

/** What a look at the store has found. */
interface Found {
  readonly turn: SharedTurn;
  /** The record shows what the service said at this time. -Infinity: there is no record. */
  readonly at: number;
}

/** A snapshot that another instance has fetched. */
type Stored = Extract<Fetched, { readonly kind: 'snapshot' }>;

/** How often an instance without a snapshot looks, because another instance is fetching one right now. */
const LOOK_AGAIN_MS = 500;
/** Two clocks drift apart by less than this share of a time. */
const MOST_DRIFT = 0.05;
/** The longest that fetching a snapshot may take. */
const WAIT_FOR_FIRST_MS = 60_000;

/**
 * Asks the service if this instance holds the lease, and reads the store if another one does. If the store fails, asks
 * the service. Never goes back to an older snapshot, whatever the store says.
 */
export function sharedFetch(
  fetch: FetchSnapshot,
  calls: StoreCalls,
  { place, pollMs }: { readonly place: SnapshotPlace; readonly pollMs: number },
  clock: Clock,
): SharedFetch {
  let lease: Lease = NEWCOMER;
  let learned: Learned | undefined;
  let confirmedAt = -Infinity;
  let fullBodyMs = 0;
  let polledAt = -Infinity;
  let pausesUntil = -Infinity;
  let waitsSince: number | undefined;
  let publishing: Promise<void> = Promise.resolve();
  let cancelRenewal: (() => void) | undefined;
  let isClosed = false;
  const versionOf = versioning();

  const look: FetchSnapshot = async (known, asker = 'schedule') => {
    // The kept snapshot came from the store, or is as good as the store's.
    learned ??= { version: known && versionOf(known), at: -Infinity };
    fullBodyMs ||= known?.fullBodyMs ?? 0;
    await publishing;
    const sentAt = clock.now();
    const turn = await calls.turn(wantedLeaseMs(lease, pollMs, sentAt));
    become(turned(lease, turn));
    if (turn === undefined) return ask(known, asker);
    const at = turn.record && sentAt - longestAgeMs(turn.time - turn.record.confirmedAt);
    const found = { turn, at: at ?? -Infinity };
    if (lease.fence !== undefined) return askForAll(known, asker, lease.fence, found);
    if (asker === 'user') return ask(known, asker);
    return follow(known, found);
  };

  /** Asks the service, unless it must be spared now. */
  const ask = async (known: Known | undefined, asker: Asker): Promise<Fetched> => {
    const now = clock.now();
    const isSpared = asker !== 'user' && isTooSoon(fullBodyMs, now - polledAt);
    if (now < pausesUntil || isSpared) return { kind: 'no-news' };
    polledAt = now;
    const fetched = await fetch(known && { ...known, fullBodyMs });
    if (fetched.kind === 'failed')
      pausesUntil = clock.now() + Math.min(fetched.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    if (fetched.kind === 'failed' || fetched.kind === 'overtaken') return fetched;
    if (fetched.kind === 'snapshot') ({ fullBodyMs } = fetched);
    const newest = fetched.kind === 'snapshot' ? fetched : known;
    confirmedAt = clock.now();
    learned = { version: newest && versionOf(newest), at: confirmedAt };
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
    const stored = await newerInStore(known, found);
    const base = stored ?? known;
    const fetched = await ask(base, asker);
    if (fetched.kind === 'overtaken') return fetched;
    if (fetched.kind === 'no-news') return stored ?? fetched;
    if (fetched.kind === 'failed') {
      // If the service has asked for a pause, that holds for all instances.
      if (fetched.retryAfterMs === undefined)
        become(pollFailed(lease, base !== undefined, pollMs, clock.now()));
      if (lease.fence === undefined) void calls.release();
      return stored ?? fetched;
    }
    become(polled(lease));
    const newest = fetched.kind === 'snapshot' ? fetched : base;
    if (newest !== undefined) {
      publishing = publish(newest, fence, found.turn).catch((error: unknown) => {
        calls.complain(messageOf(error));
      });
    }
    return stored !== undefined && fetched.kind === 'unchanged' ? justConfirmed(stored) : fetched;
  };

  /** `turn` is from before the service was asked, so the record's time is never later than what the snapshot shows. */
  const publish = async (newest: Known, fence: number, { record, time }: SharedTurn): Promise<void> => {
    const version = versionOf(newest);
    const publication = { fence, version, confirmedAt: time, fullBodyMs };
    const at = clock.now();
    const whole = async () =>
      calls.publish({ ...publication, text: await storedText({ ...newest, confirmedAt: at }, place, clock) });
    const isThere = record?.version === version;
    const first = isThere ? await calls.publish({ ...publication, text: undefined }) : await whole();
    const outcome = first === 'missing' ? await whole() : first;
    if (outcome === 'published') calls.praise();
    else if (lease.fence === fence) become(outcome === undefined ? left(pollMs, clock.now()) : NEWCOMER);
    // An instance that cannot write must not keep others from writing.
    if (outcome === undefined) await calls.release();
  };

  const follow = async (known: Known | undefined, found: Found): Promise<Fetched> => {
    const { record } = found.turn;
    if (record === undefined) return known === undefined ? waitForFirst() : { kind: 'no-news' };
    waitsSince = undefined;
    if (record.version === learned?.version) return confirmedBy(record, found.at);
    if (isOlder(found)) return { kind: 'no-news' };
    return (await load(known, record, found.at)) ?? ask(known, 'schedule');
  };

  const newerInStore = async (known: Known | undefined, found: Found): Promise<Stored | undefined> => {
    const { record } = found.turn;
    if (record === undefined || record.version === learned?.version || isOlder(found)) return undefined;
    return load(known, record, found.at);
  };

  const isOlder = ({ at }: Found) => learned !== undefined && at < learned.at;

  const confirmedBy = (record: SharedRecord, at: number): Fetched => {
    fullBodyMs = record.fullBodyMs || fullBodyMs;
    if (at <= confirmedAt) return { kind: 'no-news' };
    calls.praise();
    confirmedAt = at;
    return { kind: 'unchanged', confirmedAt: at };
  };

  /** `undefined` if the text of the store cannot be loaded or used. */
  const load = async (
    known: Known | undefined,
    record: SharedRecord,
    at: number,
  ): Promise<Stored | undefined> => {
    const loaded = await calls.load();
    if (loaded === undefined) return undefined;
    const read =
      loaded.text === undefined
        ? { wrong: 'it holds a record and no snapshot' }
        : await readStored(loaded.text, place, clock, known?.snapshot);
    if ('wrong' in read) {
      calls.complain(read.wrong);
      return undefined;
    }
    const { snapshot, etag } = read;
    learned = { version: record.version, at };
    confirmedAt = Math.max(confirmedAt, at);
    fullBodyMs = record.fullBodyMs || fullBodyMs;
    calls.praise();
    return { kind: 'snapshot', snapshot, etag, fullBodyMs, confirmedAt: at };
  };

  const waitForFirst = (): Fetched | Promise<Fetched> => {
    const now = clock.now();
    waitsSince ??= now;
    if (now - waitsSince >= WAIT_FOR_FIRST_MS) return ask(undefined, 'schedule');
    return { kind: 'no-news', againInMs: Math.min(pollMs, LOOK_AGAIN_MS) };
  };

  const become = (next: Lease) => {
    lease = next;
    if (lease.fence === undefined || isClosed) stopRenewal();
    else cancelRenewal ??= clock.after(renewalMs(pollMs), () => void renew(), 'background');
  };
  const stopRenewal = () => {
    cancelRenewal?.();
    cancelRenewal = undefined;
  };
  /** Renews the lease, because a poll may take longer than a lease. */
  const renew = async () => {
    cancelRenewal = undefined;
    const turn = await calls.turn(wantedLeaseMs(lease, pollMs, clock.now()));
    // A poll that failed meanwhile may have given the lease up.
    if (lease.fence !== undefined) become(turned(lease, turn));
    else if (turn?.fence !== undefined) await calls.release();
  };

  return {
    fetch: look,
    async close() {
      isClosed = true;
      stopRenewal();
      await publishing;
      // Called even without a lease, because a call under way may still take one.
      await calls.release();
    },
  };
}

/** The stored snapshot, but confirmed just now: the service has said that it is still in force. */
function justConfirmed({ kind, snapshot, etag, fullBodyMs }: Stored): Stored {
  return { kind, snapshot, etag, fullBodyMs };
}

/** The longest that an age by the store's clock may be by this machine's clock: too long rather than too short. */
function longestAgeMs(storeMs: number): number {
  // Each of the two times may be rounded by up to a millisecond.
  return Math.max(0, storeMs) * (1 + MOST_DRIFT) + 1;
}

/** The version is the same in all instances with this snapshot, whether it came from the service or from the store. */
function versioning(): (known: Known) => string {
  // Kept, because each poll needs it, and the digest of 10,000 flags blocks the event loop for 10 ms.
  const digests = new WeakMap<Snapshot, string>();
  return ({ snapshot, etag }) => {
    const digest = digests.get(snapshot) ?? digestOf(snapshot.contents);
    digests.set(snapshot, digest);
    return `${digest} ${snapshot.semantics} ${etag ?? ''}`;
  };
}
