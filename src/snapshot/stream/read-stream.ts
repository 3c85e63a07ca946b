import type { Clock } from '../../base/time/clock.js';
import { timeLimit } from '../../base/time/in-time.js';
import { retryAfterMs } from '../../http/retry.js';
import { environmentHeaders, type Reply, type Send, NOT_OFFERED } from '../../http/reply.js';
import { contentWords } from '../../http/failures.js';
import type { SnapshotPlace } from '../../options/snapshot-store.js';
import { isRecord, messageOf, oneLine } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';
import { EVENT_STREAM } from '../../base/text/server-sent-event.js';

export interface StreamSettings extends Pick<SnapshotPlace, 'namespace' | 'environment'> {
  /**
   * The milliseconds within which the stream has to connect and to send its first event. A real stream of Flipt sends
   * an event at once.
   */
  readonly firstEventMs: number;
}

/** The way in which a connection to the stream has ended. */
export type StreamEnd =
  /**
   * The provider itself has ended the connection, because the connection had to be renewed, because requests could not
   * reach Flipt, or because the provider is being closed.
   */
  | { readonly kind: 'left' }
  /**
   * The connection has failed, for example because the service or the network has ended it, or because the provider
   * could not connect. `isRefused` means that the service answered with something other than a stream.
   */
  | {
      readonly kind: 'broken';
      readonly why: string;
      readonly retryAfterMs?: number | undefined;
      readonly isRefused?: boolean;
    }
  /** The service does not seem to have a stream of changes. */
  | { readonly kind: 'not-offered'; readonly why: string };

/**
 * Connects to the stream, and reads until the stream ends or fails, until the first event is overdue, until the
 * connection has to be renewed, or until `closing` is aborted. Calls `announced` with the digest in each event that has
 * one. The promise never rejects.
 */
export type ReadStream = (announced: (digest: string) => void, closing: AbortSignal) => Promise<StreamEnd>;

/**
 * After this many milliseconds, the provider replaces a connection to the stream by a new one, because a dead
 * connection looks like a connection on which no change is announced.
 */
const RENEW_MS = 600_000;

export function streamReader(
  send: Send,
  { namespace, environment, firstEventMs }: StreamSettings,
  clock: Clock,
): ReadStream {
  const request = {
    method: 'GET',
    path: `/client/v2/environments/${encodeURIComponent(environment ?? 'default')}/namespaces/${encodeURIComponent(namespace)}/stream`,
    // The request accepts only the content type of event streams, because Flipt would otherwise send whole snapshots.
    headers: { ...environmentHeaders(environment), accept: EVENT_STREAM },
    stream: true,
    repeatable: true,
  } as const;

  return async (announced, closing) => {
    const ending = new AbortController();
    const end = () => {
      ending.abort();
    };
    let eventsSeen = 0;
    const why = `no event came within ${firstEventMs} ms`;
    let silence: StreamEnd = { kind: 'not-offered', why };
    const silent = (isBlocked: boolean) => {
      if (isBlocked) silence = broken(`${why}; the event loop was blocked`);
      end();
    };
    const firstDueAt = clock.now() + firstEventMs;
    const cancelFirst = timeLimit(() => firstDueAt, clock, silent, { kind: 'background', inSlices: true });
    const cancelRenewal = clock.after(RENEW_MS, end, 'background');
    closing.addEventListener('abort', end);

    const read = async (): Promise<StreamEnd> => {
      const outcome = await send({ ...request, signal: ending.signal });
      if (outcome.kind !== 'reply') return broken(outcome.message);
      const { chunks } = outcome;
      if (chunks === undefined || !isEventStream(outcome)) return notStream(outcome, clock.date());
      for await (const data of eventData(paced(chunks, clock))) {
        cancelFirst();
        eventsSeen++;
        const digest = digestIn(data);
        if (digest !== undefined) announced(digest);
      }
      return broken('the stream has ended');
    };
    try {
      const ended = await read().catch((error: unknown) => broken(messageOf(error)));
      if (!ending.signal.aborted) return ended;
      if (closing.aborted || eventsSeen > 0) return { kind: 'left' };
      return silence;
    } finally {
      cancelFirst();
      cancelRenewal();
      closing.removeEventListener('abort', end);
      // The request is aborted in every case, because a response that nobody reads must not stay open.
      end();
    }
  };
}

function broken(why: string) {
  return { kind: 'broken', why } as const;
}

function notStream(reply: Reply, date: number): StreamEnd {
  const { status, headers, redact } = reply;
  const type = oneLine(redact(String(headers['content-type'])));
  const why = status === 200 ? `${type} instead of a stream` : `${status} with ${contentWords(reply)}`;
  // A response with the status 200 and another content type than `text/event-stream` is usually a web page, or comes
  // from an older version of Flipt, whose stream has another content type.
  return [...NOT_OFFERED, 200, 406].includes(status)
    ? { kind: 'not-offered', why }
    : { ...broken(why), isRefused: true, retryAfterMs: retryAfterMs(reply, date) };
}

function isEventStream({ headers }: Reply): boolean {
  return /^text\/event-stream\b/i.test(String(headers['content-type']));
}

/**
 * Returns the digest in an event. Returns `undefined` if the event is of another kind, which a later version of Flipt
 * might send.
 */
function digestIn(data: string): string | undefined {
  const event = parsedJson(data);
  return isRecord(event) && typeof event.etag === 'string' ? event.etag : undefined;
}

/**
 * A stream is allowed to send this many bytes in a second, which is about 3,000 events. A real stream of Flipt sends
 * one event at its beginning and one for each change.
 */
const MOST_A_SECOND = 256 * 1024;

/**
 * Yields the chunks of a stream. Throws if the stream sends too many bytes in a second, because reading all of them
 * would keep the process busy.
 */
async function* paced(chunks: AsyncIterable<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array, void> {
  let since = clock.now();
  let bytes = 0;
  for await (const chunk of chunks) {
    const now = clock.now();
    if (now - since >= 1_000) {
      since = now;
      bytes = 0;
    }
    bytes += chunk.length;
    if (bytes > MOST_A_SECOND) throw new Error(`more than ${MOST_A_SECOND} bytes of events in a second`);
    yield chunk;
  }
}

/** The largest number of characters in an event, including its ends of lines. A real event has about 80 characters. */
const LONGEST_EVENT = 64 * 1024;

/**
 * Yields the data of each server-sent event as soon as the event is complete. Throws if an event becomes too long,
 * because an event without an end would fill the memory.
 */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, text] = /^data: ?(.*)$/s.exec(line) ?? [];
      if (text !== undefined) data.push(text);
      else if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
    // Each line counts as one character longer than its text, because lines without text take memory, too.
    const length = data.reduce((sum, line) => sum + line.length + 1, rest.length);
    if (length > LONGEST_EVENT) throw new Error(`an event of more than ${LONGEST_EVENT} characters`);
  }
}
