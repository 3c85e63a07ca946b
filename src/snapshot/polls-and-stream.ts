import type { Send } from '../http/reply.js';
import type { SnapshotPlace } from '../stores/snapshot-store.js';
import type { Runtime } from '../runtime.js';
import { openBodyCost } from './body-cost.js';
import { snapshotFetcher } from './fetch-snapshot.js';
import { fliptVersion, type FliptVersion } from './version/flipt-version.js';
import { patienceMs } from './silence-limit.js';
import { sharedFetch } from './shared/shared-fetch.js';
import type { StoreCalls } from './shared/store-calls.js';
import { openAnnouncements } from './stream/announcements.js';
import { streamReader } from './stream/read-stream.js';
import { openStream } from './stream/reconnecting-stream.js';
import { openWatch, type Watch, type WatchSettings } from './watch/poll-watch.js';

export interface ServiceWatchSettings extends SnapshotPlace {
  readonly http: { readonly timeoutMs: number };
  readonly watch: { readonly pollMs: number; readonly stream: boolean };
}

interface HowToWatch extends Pick<WatchSettings, 'starting' | 'confirmed' | 'isPatient'> {
  /** To a store by which many instances share one poll. Default: each instance polls by itself. */
  readonly calls: StoreCalls | undefined;
  /** Whether each flag of a first snapshot is read when it is first needed. */
  readonly isLazy: boolean;
}

/** Watches the service from now on: by polls, and if that is set, by its stream. */
export function watchService(
  send: Send,
  settings: ServiceWatchSettings,
  { calls, isLazy, ...how }: HowToWatch,
  runtime: Runtime,
) {
  const { clock } = runtime;
  const { pollMs, stream } = settings.watch;
  const closing = new AbortController();
  const version = fliptVersion(send, patienceMs(settings.http.timeoutMs), clock, closing.signal);
  const cost = openBodyCost(pollMs, clock, runtime.random);
  const fetch = snapshotFetcher(send, { ...settings, isLazy }, clock, closing.signal, version, cost);
  const shared = calls && sharedFetch({ fetch, cost }, calls, { place: settings, pollMs }, clock);
  const ofWatch = { fetch: shared?.fetch ?? fetch, pollMs, isShared: shared !== undefined };
  const watch = openWatch({ ...how, ...ofWatch, patienceMs: patienceMs(settings.http.timeoutMs) }, runtime);
  version.rules.onNew(() => void watch.poll('version'));
  const closeStream = stream ? openChangeStream(send, settings, watch, version, runtime) : undefined;

  return {
    watch,
    version,
    /** Ends its requests, and gives back the lease of a shared store. Never rejects. */
    async close() {
      closing.abort();
      watch.close();
      closeStream?.();
      await shared?.close();
    },
  };
}

/** Polls when the stream announces a change. Returns a function that ends it. */
function openChangeStream(
  send: Send,
  settings: ServiceWatchSettings,
  watch: Watch,
  version: FliptVersion,
  runtime: Runtime,
) {
  const { clock } = runtime;
  const announcements = openAnnouncements(watch, clock);
  const firstEventMs = patienceMs(settings.http.timeoutMs);
  const read = streamReader(send, { ...settings, firstEventMs }, clock);
  // Flipt may be upgraded between two polls, so that none fails. Its streams break off.
  const readToEnd: typeof read = async (...how) => {
    const end = await read(...how);
    if (end.kind === 'broken') version.expectAnother();
    return end;
  };
  const stream = openStream(readToEnd, announcements.announced, runtime);
  return () => {
    stream.close();
    announcements.close();
  };
}
