import type { Runtime } from '../../../model/runtime.js';
import { type Clock, oneTimer } from '../../../base/time/clock.js';
import { serverSentEvent } from '../../../base/text/server-sent-event.js';
import { PACE_MS, portion, repeatAt, spreadOf } from './pacing.js';
import type { PushSettings } from '../ofrep-options.js';

/*
 * At most `maxStreams` streams are open in the process, and `maxStreamsPerUser` for one targetingKey. A browser that
 * gets no stream fetches its flags every 20 s. A visitor without a targetingKey counts towards `maxStreams` alone.
 */

interface OpenStream {
  /** The `targetingKey`; `''` for a visitor without one. */
  readonly user: string;
  /** Takes it off the open streams. */
  readonly leave: () => void;
  readonly out: ReadableStreamDefaultController<Uint8Array>;
  readonly endsAt: number;
  wroteAt: number;
}

/** The shortest idle time-out on the way that is a default somewhere is 10 s (Bun's server). */
const SILENT_FOR_MS = 8_000;
const LOOK_EVERY_MS = 1_000;
/** Long, because the page reads STALE after each new connection. Not endless, so that a new instance gets its share. */
const SHORTEST_LIFE_MS = 3_600_000;
/** A reader that leaves so many events and heartbeats unread, after what the sockets hold, has stalled. */
const MOST_UNREAD = 16;
/** Browsers whose streams have ended together come back one after another. */
const RETRY_MS = { least: 1_000, spread: 2_000 };

const encoder = new TextEncoder();

/** Nothing about flags or users: the browser fetches its own flags then. */
export const refetch = (id: string) => serverSentEvent(id, '{"type":"refetchEvaluation"}');

/** How long the browser waits before it connects again. */
export const retry = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

/** A comment, which browsers ignore. */
const HEARTBEAT = encoder.encode(':\n\n');

export const encoded = (text: string) => encoder.encode(text);

/** The streams that are open, and the newest event. */
export function browserStreams(
  limits: Omit<PushSettings, 'requestUri'>,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
) {
  const { maxStreams, maxStreamsPerUser, jitterMs } = limits;
  let series = newSeries(random);
  let events = 0;

  const newest = () => `${series}-${events}`;

  const streams = new Set<OpenStream>();
  const hasRoom = (user: string): boolean => {
    if (streams.size >= maxStreams) return false;
    if (user === '') return true;
    let ofUser = 0;
    for (const stream of streams) if (stream.user === user) ofUser++;
    return ofUser < maxStreamsPerUser;
  };
  const writeNewest = (many: readonly OpenStream[]) => {
    const event = encoded(refetch(newest()));
    for (const stream of many) write(stream, event, clock.now());
  };
  const writeToAll = pacedWriting(streams, writeNewest, jitterMs, clock);
  const look = ticking(clock, LOOK_EVERY_MS, () => {
    const now = clock.now();
    for (const stream of streams) {
      if (now >= stream.endsAt) end(stream);
      else if (now - stream.wroteAt >= SILENT_FOR_MS) write(stream, HEARTBEAT, now);
    }
    return streams.size > 0;
  });

  const send = () => {
    events += 1;
    writeToAll();
  };
  const repetitions = repeating(send, clock);

  return {
    /**
     * A new stream of a user. It gets an event at once unless the browser has the newest one. `undefined`: there are
     * too many streams.
     */
    open(user: string, lastEventId: string | null): ReadableStream<Uint8Array> | undefined {
      if (!hasRoom(user)) return undefined;
      const now = clock.now();
      let leave = () => {};
      return new ReadableStream<Uint8Array>(
        {
          start(out) {
            leave = () => void streams.delete(stream);
            const endsAt = now + SHORTEST_LIFE_MS * (1 + random());
            const stream: OpenStream = { user, leave, out, endsAt, wroteAt: now };
            streams.add(stream);
            const spreadMs = RETRY_MS.spread + spreadOf(streams.size, jitterMs);
            const first = retry(RETRY_MS.least + random() * spreadMs);
            write(stream, encoded(lastEventId === newest() ? first : first + refetch(newest())), now);
            look();
          },
          cancel: () => {
            leave();
          },
        },
        { highWaterMark: MOST_UNREAD },
      );
    },
    /** Sends an event to all streams, and again after `repeatAfterMs`, if that is given. */
    announce: (repeatAfterMs?: number): void => {
      send();
      if (repeatAfterMs !== undefined) repetitions.add(repeatAfterMs);
    },
    /** Ends all streams. Later events are not those of before, so that browsers that come back get one. */
    endAll(): void {
      repetitions.clear();
      for (const stream of streams) end(stream);
      series = newSeries(random);
    },
    /** How many streams are open. */
    count: () => streams.size,
  };
}

function end({ leave, out }: OpenStream): void {
  leave();
  // After `close`, a reader that has stalled would keep its connection, and the server could not close.
  if ((out.desiredSize ?? 0) < MOST_UNREAD) out.error(notRead());
  else out.close();
}

/** Ends a stream that its reader does not read. */
function write(stream: OpenStream, bytes: Uint8Array, now: number): void {
  if ((stream.out.desiredSize ?? 0) <= 0) {
    stream.leave();
    stream.out.error(notRead());
    return;
  }
  stream.wroteAt = now;
  stream.out.enqueue(bytes);
}

/** Writes to all streams, a portion in each tick; the one that has waited longest comes first. */
function pacedWriting(
  streams: ReadonlySet<OpenStream>,
  write: (many: readonly OpenStream[]) => void,
  jitterMs: number,
  clock: Clock,
): () => void {
  let owed: readonly OpenStream[] = [];
  let pacedAt = 0;
  const pace = ticking(clock, PACE_MS, () => {
    const now = clock.now();
    const open = owed.filter((stream) => streams.has(stream));
    const many = portion(streams.size, now - pacedAt, jitterMs);
    pacedAt = now;
    owed = open.slice(many);
    write(open.slice(0, many));
    return owed.length > 0;
  });
  // Not at once, so that changes that come together are one event.
  return () => {
    if (owed.length === 0) pacedAt = clock.now();
    owed = [...new Set([...owed, ...streams])];
    if (owed.length > 0) pace();
  };
}

/** Runs again some time later, once for all that wish it at about the same time. */
function repeating(run: () => void, clock: Clock) {
  /** By its time, what cancels it. */
  const repetitions = new Map<number, () => void>();
  return {
    add(afterMs: number) {
      const at = repeatAt(clock.now(), afterMs);
      if (repetitions.has(at)) return;
      const again = () => {
        repetitions.delete(at);
        run();
      };
      repetitions.set(at, clock.after(at - clock.now(), again, 'background'));
    },
    clear() {
      for (const cancel of repetitions.values()) cancel();
      repetitions.clear();
    },
  };
}

/** What starts the ticks, unless they go on already: every `ms`, as long as `tick` returns true. */
function ticking(clock: Clock, ms: number, tick: () => boolean): () => void {
  const timer = oneTimer(clock);
  const start = () => {
    timer.ensure(ms, next);
  };
  const next = () => {
    if (tick()) start();
  };
  return start;
}

const notRead = () => new Error('ofrep: the browser does not read its event stream');

/** Event ids of another instance, or from before a restart, must not look like the newest. */
function newSeries(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(36);
}
