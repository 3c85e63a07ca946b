import type { Send } from '../http/reply.js';
import type { SnapshotPlace } from '../options/snapshot-options.js';
import type { Runtime } from '../runtime.js';
import { snapshotFetcher } from './fetch-snapshot.js';
import { patienceMs } from './poll-schedule.js';
import { sharedFetch } from './shared/shared-fetch.js';
import type { StoreCalls } from './shared/store-calls.js';
import { openAnnouncements } from './stream/announcements.js';
import { streamReader } from './stream/connection.js';
import { openStream } from './stream/stream.js';
import { openWatch, type Watch, type WatchSettings } from './poll-watch.js';

export interface ServiceWatchSettings extends SnapshotPlace {
  readonly http: { readonly timeoutMs: number };
  readonly watch: { readonly pollMs: number; readonly stream: boolean };
}

interface HowToWatch extends Pick<WatchSettings, 'starting' | 'confirmed' | 'isPatient'> {
  /** To a store by which many instances share one poll. Default: each instance polls by itself. */
  readonly calls: StoreCalls | undefined;
}

/** Watches the service from now on: by polls, and if that is set, by its stream. */
export function watchService(
  send: Send,
  settings: ServiceWatchSettings,
  { calls, ...how }: HowToWatch,
  runtime: Runtime,
) {
  const { clock } = runtime;
  const { pollMs, stream } = settings.watch;
  const closing = new AbortController();
  const fetch = snapshotFetcher(send, settings, clock, closing.signal);
  const shared = calls && sharedFetch(fetch, calls, { place: settings, pollMs }, clock);
  const ofWatch = { fetch: shared?.fetch ?? fetch, pollMs, isShared: shared !== undefined };
  const watch = openWatch({ ...how, ...ofWatch, patienceMs: patienceMs(settings.http.timeoutMs) }, runtime);
  const closeStream = stream ? openChangeStream(send, settings, watch, runtime) : undefined;

  return {
    watch,
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
function openChangeStream(send: Send, settings: ServiceWatchSettings, watch: Watch, runtime: Runtime) {
  const { clock } = runtime;
  const announcements = openAnnouncements(watch, clock);
  const firstEventMs = patienceMs(settings.http.timeoutMs);
  const read = streamReader(send, { ...settings, firstEventMs }, clock);
  const stream = openStream(read, announcements.announced, runtime);
  return () => {
    stream.close();
    announcements.close();
  };
}
