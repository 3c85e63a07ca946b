import type { StreamState } from '../../diagnostics/flipt-event.js';
import type { Runtime } from '../../runtime.js';
import { oneTimer } from '../../time/one-timer.js';
import type { ReadStream, StreamEnd } from './read-stream.js';

/** After a connection of this length, the next failure begins with the shortest delay again. */
const LASTED_MS = 60_000;
const DELAY_MS = { first: 1_000, most: 60_000, notOffered: 300_000 };

/** Milliseconds until the next connection, after `attempts` connections that were too short; `random` is in [0, 1). */
function reconnectDelayMs(ended: StreamEnd, attempts: number, random: number): number {
  if (ended.kind === 'left') return 0;
  if (ended.kind === 'not-offered') return DELAY_MS.notOffered * (0.5 + random / 2);
  const most = Math.min(DELAY_MS.first * 2 ** attempts, DELAY_MS.most);
  // After a pause that the service has asked for, the instances come back one after another.
  return Math.max(most * 0.5, ended.retryAfterMs ?? 0) + (most * random) / 2;
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

  const become = (next: StreamState, why: string) => {
    if (next === state) return;
    state = next;
    report({ type: 'stream-changed', state, why });
  };
  const connect = async () => {
    const began = clock.now();
    const ended = await read((digest) => {
      become('open', 'an event came');
      announced(digest);
    }, closing.signal);
    if (closing.signal.aborted) return;
    if (ended.kind !== 'left') become(ended.kind, ended.why);
    attempts = clock.now() - began >= LASTED_MS ? 0 : attempts + 1;
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
