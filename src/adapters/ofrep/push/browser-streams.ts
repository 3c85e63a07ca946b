import type { Runtime } from '../../../model/runtime.js';
import { type Clock, oneTimer } from '../../../base/time/clock.js';
import { serverSentEvent } from '../../../base/text/server-sent-event.js';
import { PACE_MS, portion, repeatAt, spreadOf } from './pacing.js';
import type { PushSettings } from '../ofrep-options.js';

/*
 * At most `maxStreams` event streams of an OFREP handler are open, and at most `maxStreamsPerUser` for one
 * targetingKey. `maxStreamsPerUser` does not apply to visitors without a targetingKey. A browser that gets no stream
 * because too many are open fetches its flags about every 20 s.
 */

interface OpenStream {
  /** The visitor's `targetingKey`, or `''` if there is none. */
  readonly user: string;
  /** Removes the stream from the set of open streams. */
  readonly leave: () => void;
  readonly out: ReadableStreamDefaultController<Uint8Array>;
  readonly endsAt: number;
  wroteAt: number;
}

/**
 * A stream on which nothing was sent for this many milliseconds gets a heartbeat. Servers and proxies close idle
 * connections; the fastest that we know, Bun's server, does so after 10 s.
 */
const SILENT_FOR_MS = 8_000;
const LOOK_EVERY_MS = 1_000;
/**
 * The app ends each stream after a random time between this many milliseconds and twice as many, if the stream has not
 * ended before. The time is long, because the OpenFeature provider in the page can be STALE after each reconnection
 * until the next change of a flag. No stream stays open for ever, so that browsers also connect to new instances of the
 * app.
 */
const SHORTEST_LIFE_MS = 3_600_000;
/**
 * How many events and heartbeats can wait in a stream, besides those in the socket's buffers, before the app ends the
 * stream.
 */
const MOST_UNREAD = 16;
/**
 * A browser whose stream has ended reconnects after a random time, so that browsers whose streams have ended together
 * do not all reconnect at once.
 */
const RETRY_MS = { least: 1_000, spread: 2_000 };

const encoder = new TextEncoder();

/** Returns an event that tells the browser to fetch its flags. The event contains nothing about flags or users. */
export const refetch = (id: string) => serverSentEvent(id, '{"type":"refetchEvaluation"}');

/** Returns the text that tells the browser how many milliseconds to wait before it connects again. */
export const retry = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

/** The heartbeat is a comment, which browsers ignore. */
const HEARTBEAT = encoder.encode(':\n\n');

export const encoded = (text: string) => encoder.encode(text);

/** Returns an object that holds the open streams and the id of the newest event. */
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
     * Opens a stream for a user. The stream begins with an event, unless the browser already has the newest event.
     * Returns `undefined` if too many streams are open.
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
    /**
     * Sends an event to all streams. If `repeatAfterMs` is given, another event follows after about that many
     * milliseconds.
     */
    announce: (repeatAfterMs?: number): void => {
      send();
      if (repeatAfterMs !== undefined) repetitions.add(repeatAfterMs);
    },
    /** Ends all streams. Events get new ids from now on, so that each browser that reconnects gets an event. */
    endAll(): void {
      repetitions.clear();
      for (const stream of streams) end(stream);
      series = newSeries(random);
    },
    /** Returns how many streams are open. */
    count: () => streams.size,
  };
}

function end({ leave, out }: OpenStream): void {
  leave();
  // If a browser no longer reads its stream, this function aborts the stream. If this function only closed the stream,
  // the browser would keep its connection open, and the app's server could not close.
  if ((out.desiredSize ?? 0) < MOST_UNREAD) out.error(notRead());
  else out.close();
}

/** Writes to a stream, or ends the stream if the browser no longer reads it. */
function write(stream: OpenStream, bytes: Uint8Array, now: number): void {
  if ((stream.out.desiredSize ?? 0) <= 0) {
    stream.leave();
    stream.out.error(notRead());
    return;
  }
  stream.wroteAt = now;
  stream.out.enqueue(bytes);
}

/**
 * Returns a function that writes the newest event to all streams: to some of them every `PACE_MS`, and first to the
 * stream that has waited longest.
 */
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
  // Even the first streams get the event only at the next tick, so that changes that come together lead to only one
  // event.
  return () => {
    if (owed.length === 0) pacedAt = clock.now();
    owed = [...new Set([...owed, ...streams])];
    if (owed.length > 0) pace();
  };
}

/**
 * Returns an object whose method `add` makes a timer call `run` later. If several repetitions are due at about the same
 * time, `run` is called only once for all of them.
 */
function repeating(run: () => void, clock: Clock) {
  /** The times at which `run` will be called again, each with the function that cancels the call. */
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

/**
 * Returns a function that starts a timer, unless the timer already runs. The timer calls `tick` every `ms` milliseconds
 * until `tick` returns false.
 */
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

/**
 * Returns a random beginning for the ids of events, so that these ids almost certainly differ from the ids of other
 * instances and from the ids before a restart.
 */
function newSeries(random: () => number): string {
  return Math.floor(random() * 2 ** 48).toString(36);
}
