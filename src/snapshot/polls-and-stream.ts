import type { Send } from '../http/reply.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import type { Runtime } from '../model/runtime.js';
import { snapshotFetcher, type ExpectedSnapshot } from './fetch-snapshot.js';
import { keepingFlags, type KeepFlagsSettings } from './keep-flags.js';
import { FliptVersion } from './ask-version.js';
import { sharedFetch } from './shared/shared-fetch.js';
import type { StoreCalls } from './shared/store-calls.js';
import { openAnnouncements } from './stream/announcements.js';
import { streamReader } from './stream/read-stream.js';
import { openStream } from './stream/reconnecting-stream.js';
import { WholeSnapshots } from './poll-cost.js';
import { patienceMs } from './silence.js';
import { TagTrust } from './tag-trust.js';
import { openWatch } from './watch/poll-watch.js';
import type { WatchSettings } from './watch/watch.js';

export interface ServiceWatchSettings extends SnapshotPlace, Pick<KeepFlagsSettings, 'acceptLossAfterMs'> {
  readonly http: { readonly timeoutMs: number };
  readonly watch: { readonly pollMs: number; readonly maxAgeMs: number; readonly stream: boolean };
}

interface HowToWatch extends Pick<WatchSettings, 'starting' | 'confirmed' | 'firstPollMs' | 'isCompared'> {
  /**
   * The calls to a store through which one instance polls for many instances. If `calls` is `undefined`, each instance
   * polls for itself.
   */
  readonly calls: StoreCalls | undefined;
  /** A long saved snapshot whose flags have not been read yet, or `undefined` if no such snapshot is known. */
  readonly expected: ExpectedSnapshot | undefined;
}

/** Begins to watch the service by polls, and also by the service's stream of changes if `watch.stream` is `true`. */
export function watchService(
  send: Send,
  settings: ServiceWatchSettings,
  { calls, expected, ...how }: HowToWatch,
  runtime: Runtime,
) {
  const { clock } = runtime;
  const { pollMs, maxAgeMs, stream } = settings.watch;
  const patientMs = patienceMs(settings.http.timeoutMs);
  const closing = new AbortController();
  // `TagTrust` and `FliptVersion` need the watch, and the watch needs both of them. `pollForVersion` breaks this
  // circle, because it uses the watch only when it is called.
  const pollForVersion = () => void watch.poll('version');
  const tags = new TagTrust({ pollMs, maxAgeMs, misled: pollForVersion }, clock, runtime.random);
  const version = new FliptVersion(
    {
      send,
      timeoutMs: patientMs,
      signal: closing.signal,
      newSemantics: pollForVersion,
      answered: (release) => {
        tags.ofRelease(release);
      },
    },
    clock,
  );
  const bodies = new WholeSnapshots(clock);
  const reading = { ...settings, expected, isCompared: how.isCompared };
  const fetched = snapshotFetcher(send, reading, clock, closing.signal, version, bodies, tags);
  // `sharedFetch` wraps `keepingFlags`, because an answer in which all flags are lost must not be written into the
  // shared store.
  const kept = keepingFlags(fetched, { ...settings, pollMs, expected }, clock);
  const fetch: typeof kept = async (...of) => {
    const outcome = await kept(...of);
    if (outcome.kind === 'failed' && outcome.failure.kind === 'connection')
      changes?.breakOff(outcome.failure.message);
    return outcome;
  };
  const shared = calls && sharedFetch(fetch, { calls, place: settings, clock }, pollMs);
  const ofWatch = { fetch: shared?.fetch ?? fetch, pollMs, isShared: shared !== undefined };
  const watch = openWatch({ ...how, ...ofWatch, patienceMs: patientMs }, runtime);
  const changes = stream ? openChangeStream() : undefined;

  /** Opens the stream of changes. The watch polls when the stream announces a change. */
  function openChangeStream() {
    const announcements = openAnnouncements(watch, clock);
    const read = streamReader(send, { ...settings, firstEventMs: patientMs }, clock);
    // If Flipt is upgraded between two polls, no poll fails, but the stream's connection breaks.
    const readToEnd: typeof read = async (...of) => {
      const end = await read(...of);
      if (end.kind === 'broken') version.expectAnother();
      if (end.kind !== 'not-offered') return end;
      // If Flipt offers no stream, the likely reason is Flipt's version, for which the provider has asked at the first
      // poll.
      await version.settled();
      const release = version.read();
      return release === undefined ? end : { ...end, why: `${end.why}; Flipt's version is ${release}` };
    };
    const connections = openStream(readToEnd, announcements.announced, runtime);
    return {
      /**
       * When Flipt stops, it accepts no new connections, but waits until open streams have ended before it exits. To
       * let Flipt exit, the provider ends its stream when a request shows that Flipt cannot be reached.
       */
      breakOff: (why: string) => {
        connections.breakOff(why);
        version.expectAnother();
      },
      close: () => {
        connections.close();
        announcements.close();
      },
    };
  }

  return {
    watch,
    version,
    /**
     * To be called when answers of the service contradict the snapshot in force. After this call, the next poll that
     * this instance sends to Flipt usually fetches a whole snapshot.
     */
    doubt: () => {
      tags.doubt();
    },
    /**
     * To be called when Flipt has refused a connection. The call ends an open stream, which the provider opens again
     * later.
     */
    refused: () => {
      changes?.breakOff('Flipt refuses connections');
    },
    /** Ends all polls and the stream, and gives back the lease of a shared store. The promise never rejects. */
    async close() {
      closing.abort();
      watch.close();
      changes?.close();
      await shared?.close();
    },
  };
}
