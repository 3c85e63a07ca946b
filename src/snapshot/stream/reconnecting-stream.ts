import type { StreamState } from '../../model/events/flipt-event.js';
import type { Runtime } from '../../model/runtime.js';
import { halfToAll, oneTimer } from '../../base/time/clock.js';
import { NOT_OFFERED_MS } from '../watch/poll-schedule.js';
import type { ReadStream, StreamEnd } from './read-stream.js';

/**
 * When a connection ends that has lasted for at least this many milliseconds, the provider usually reconnects after the
 * shortest delay again.
 */
const LASTED_MS = 60_000;
const DELAY_MS = { first: 1_000, longest: 60_000 };
/**
 * After this many refused connections in a row, which take about half a minute, the provider concludes that the service
 * has no stream. Once the stream has sent an event, the provider no longer concludes from refused connections that the
 * service has no stream.
 */
const NEVER_OPENED = 5;

/**
 * Returns the milliseconds until the provider connects again. `attempts` is the number of connections in a row that did
 * not last. `random` is a number in [0, 1) that makes instances wait for different times.
 */
function reconnectDelayMs(ended: StreamEnd, attempts: number, random: number): number {
  if (ended.kind === 'left') return 0;
  const longest = ended.kind === 'not-offered' ? NOT_OFFERED_MS : DELAY_MS.longest;
  const longestMs = Math.min(DELAY_MS.first * 2 ** attempts, longest);
  // After a pause that the service has asked for, each instance reconnects at a random time, so that not all instances
  // reconnect at once.
  return halfToAll(longestMs, random, ended.kind === 'broken' ? ended.retryAfterMs : 0);
}

interface Connection {
  readonly ending: AbortController;
  /** The reason why the provider has broken off this connection, or `undefined` if the provider has not done so. */
  brokenOff: string | undefined;
}

const newConnection = (): Connection => ({ ending: new AbortController(), brokenOff: undefined });

/**
 * Keeps a connection to the stream of changes open in the background, and connects again when the connection ends,
 * until `close` is called.
 */
export function openStream(
  read: ReadStream,
  announced: (digest: string) => void,
  { clock, random, report }: Runtime,
) {
  const delay = oneTimer(clock);
  let isClosed = false;
  /** The newest connection to the stream. */
  let connection: Connection = newConnection();
  let state: StreamState | undefined;
  let attempts = 0;
  /** The number of connections in a row that the service has refused. */
  let refusals = 0;
  /**
   * Whether an event with a digest has come since `openStream` was called. An event with a digest proves that the
   * service has a stream.
   */
  let hasServed = false;

  const become = (next: StreamState, why: string) => {
    if (next === state) return;
    state = next;
    report({ type: 'stream-changed', state, why });
  };
  const connect = async () => {
    const began = clock.now();
    const current = newConnection();
    connection = current;
    const left = await read((digest) => {
      hasServed = true;
      become('open', 'an event came');
      announced(digest);
    }, current.ending.signal);
    const { brokenOff } = current;
    const end = brokenOff === undefined ? left : { kind: 'broken' as const, why: brokenOff };
    // A service that is paused, or is being replaced behind a gateway, looks like a service without a stream. If an
    // event has come before, the service does have a stream.
    const ended = hasServed && end.kind === 'not-offered' ? { ...end, kind: 'broken' as const } : end;
    if (isClosed) return;
    refusals = ended.kind === 'broken' && ended.isRefused === true ? refusals + 1 : 0;
    const isRefused = !hasServed && refusals >= NEVER_OPENED;
    if (ended.kind !== 'left') become(isRefused ? 'not-offered' : ended.kind, ended.why);
    // If a connection ends because the service offers no stream, its duration says nothing: the connection lasted only
    // as long as the provider waited for a first event.
    const hasLasted = ended.kind !== 'not-offered' && clock.now() - began >= LASTED_MS;
    attempts = hasLasted ? 0 : attempts + 1;
    delay.set(reconnectDelayMs(ended, attempts, random()), () => void connect());
  };

  void connect();
  return {
    /** Ends an open connection, and connects again later, as if the service had ended the connection. */
    breakOff(why: string) {
      if (state !== 'open') return;
      connection.brokenOff ??= why;
      connection.ending.abort();
    },
    close() {
      isClosed = true;
      connection.ending.abort();
      delay.stop();
    },
  };
}
