import type { StreamState } from '../../model/events/flipt-event.js';
import type { Runtime } from '../../model/runtime.js';
import { halfToAll, oneTimer } from '../../base/time/clock.js';
import { NOT_OFFERED_MS } from '../watch/poll-schedule.js';
import type { ReadStream, StreamEnd } from './read-stream.js';

/** After a connection of this length, the next failure begins with the shortest delay again. */
const LASTED_MS = 60_000;
const DELAY_MS = { first: 1_000, longest: 60_000 };
/** After so many refused connections in a row and no event ever, about half a minute, there is no stream to wait for. */
const NEVER_OPENED = 5;

/** Milliseconds until the next connection, after `attempts` connections that were too short; `random` is in [0, 1). */
function reconnectDelayMs(ended: StreamEnd, attempts: number, random: number): number {
  if (ended.kind === 'left') return 0;
  const longest = ended.kind === 'not-offered' ? NOT_OFFERED_MS : DELAY_MS.longest;
  const longestMs = Math.min(DELAY_MS.first * 2 ** attempts, longest);
  // After a pause that the service has asked for, the instances come back one after another.
  return halfToAll(longestMs, random, ended.kind === 'broken' ? ended.retryAfterMs : 0);
}

/** Keeps one connection to the stream of changes, in the background, until it is closed. */
export function openStream(
  read: ReadStream,
  announced: (digest: string) => void,
  { clock, random, report }: Runtime,
) {
  const delay = oneTimer(clock);
  const closing = new AbortController();
  let state: StreamState | undefined;
  let attempts = 0;
  /** Refused connections in a row. */
  let refusals = 0;
  /** An event has come in this run: the service has the stream. */
  let hasServed = false;

  const become = (next: StreamState, why: string) => {
    if (next === state) return;
    state = next;
    report({ type: 'stream-changed', state, why });
  };
  const connect = async () => {
    const began = clock.now();
    const end = await read((digest) => {
      hasServed = true;
      become('open', 'an event came');
      announced(digest);
    }, closing.signal);
    // A paused service or a gateway during a deployment looks like one without the stream.
    const ended = hasServed && end.kind === 'not-offered' ? { ...end, kind: 'broken' as const } : end;
    if (closing.signal.aborted) return;
    refusals = ended.kind === 'broken' && ended.isRefused === true ? refusals + 1 : 0;
    const isRefused = !hasServed && refusals >= NEVER_OPENED;
    if (ended.kind !== 'left') become(isRefused ? 'not-offered' : ended.kind, ended.why);
    // Where nothing is offered, the time was spent on waiting for a first event.
    const hasLasted = ended.kind !== 'not-offered' && clock.now() - began >= LASTED_MS;
    attempts = hasLasted ? 0 : attempts + 1;
    delay.set(reconnectDelayMs(ended, attempts, random()), () => void connect());
  };

  void connect();
  return {
    close() {
      closing.abort();
      delay.stop();
    },
  };
}
