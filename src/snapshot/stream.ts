import { isRecord, messageOf, oneLine } from '../base/text/describe.js';
import { parsedJson } from '../base/text/json.js';
import { oneTimer } from '../base/time/clock.js';
import { environmentHeaders, type Reply, type Send } from '../http/reply.js';
import { contentWords } from '../http/failures.js';
import { retryAfterMs } from '../http/retry.js';
import type { StreamState } from '../model/events/flipt-event.js';
import type { Runtime } from '../model/runtime.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { NOT_OFFERED } from './fetch.js';

export interface StreamSettings extends Pick<SnapshotPlace, 'namespace' | 'environment'> {
  readonly http: { readonly timeoutMs: number };
  readonly changed: (state: StreamState, why: string) => void;
  /** Joins a poll that is under way. */
  readonly poll: () => Promise<void>;
  /** Of the snapshot in force: Flipt 2's digest. */
  readonly version: () => string | undefined;
  readonly fliptVersion: () => string | undefined;
}

interface End {
  readonly state: 'broken' | 'not-offered';
  readonly why: string;
  readonly retryAfterMs?: number | undefined;
}

// A subscriber may miss an event, so a connection does not last for ever.
const RENEW_MS = 600_000;
const RECONNECT_MS = { first: 1_000, broken: 60_000, 'not-offered': 300_000 };
const LONGEST_EVENT = 64 * 1024;
/** An event may come before the change can be read. */
const POLL_AGAIN_MS = { first: 100, longest: 2_000, within: 20_000 };

/** Opens Flipt's stream of changes again and again. Each event names a digest, which is polled for until it is served. */
export class ChangeStream {
  private readonly closing = new AbortController();
  private connection = new AbortController();
  private state: StreamState | undefined;
  private attempts = 0;
  private hasServed = false;
  private target: { readonly digest: string; readonly until: number } | undefined;
  private readonly reconnect;
  private readonly pollAgain;

  constructor(
    private readonly send: Send,
    private readonly settings: StreamSettings,
    private readonly runtime: Runtime,
  ) {
    this.reconnect = oneTimer(runtime.clock);
    this.pollAgain = oneTimer(runtime.clock);
    void this.connect();
  }

  end(): void {
    this.connection.abort();
  }

  close(): void {
    this.closing.abort();
    this.connection.abort();
    this.reconnect.stop();
    this.pollAgain.stop();
  }

  private async connect(): Promise<void> {
    const { clock, random } = this.runtime;
    const connection = new AbortController();
    this.connection = connection;
    const firstEventMs = Math.min(4 * this.settings.http.timeoutMs, RECONNECT_MS.broken);
    const endAfter = (ms: number, why: 'silent' | 'renewed') => {
      const end = () => {
        connection.abort(why);
      };
      return clock.after(ms, end, 'background');
    };
    const stopWaiting = endAfter(firstEventMs, 'silent');
    const stopRenewal = endAfter(RENEW_MS, 'renewed');
    const read = await this.read(connection.signal, (data) => {
      stopWaiting();
      this.hasServed = true;
      this.attempts = 0;
      this.become('open', 'an event came');
      this.announced(data);
    });
    stopWaiting();
    stopRenewal();
    // A response that nobody reads must not stay open: Flipt would delay each change for everyone.
    connection.abort();
    if (this.closing.signal.aborted) return;
    // The first abort's.
    const why: unknown = connection.signal.reason;
    if (why === 'renewed') {
      void this.connect();
      return;
    }
    const end: End =
      why === 'silent' ? { state: 'not-offered', why: `no event came within ${firstEventMs} ms` } : read;
    const state = this.hasServed ? 'broken' : end.state;
    const version = this.settings.fliptVersion();
    const ofVersion = version === undefined || state === 'broken' ? '' : `; Flipt's version is ${version}`;
    this.become(state, end.why + ofVersion);
    const longestMs = Math.min(RECONNECT_MS.first * 2 ** this.attempts++, RECONNECT_MS[state]);
    const waitMs = Math.max(longestMs * (0.5 + 0.5 * random()), end.retryAfterMs ?? 0);
    this.reconnect.set(waitMs, () => void this.connect());
  }

  private async read(signal: AbortSignal, event: (data: string) => void): Promise<End> {
    const { namespace, environment } = this.settings;
    const place = `environments/${encodeURIComponent(environment ?? 'default')}/namespaces/${encodeURIComponent(namespace)}`;
    try {
      const outcome = await this.send({
        method: 'GET',
        path: `/client/v2/${place}/stream`,
        // With a further content type, Flipt would send whole snapshots.
        headers: { ...environmentHeaders(environment), accept: 'text/event-stream' },
        stream: true,
        repeatable: true,
        signal,
      });
      if (outcome.kind !== 'reply') return { state: 'broken', why: outcome.message };
      const { chunks } = outcome;
      if (chunks === undefined || !isEventStream(outcome))
        return noStream(outcome, this.runtime.clock.date());
      for await (const data of eventData(chunks)) event(data);
      return { state: 'broken', why: 'the stream has ended' };
    } catch (error) {
      return { state: 'broken', why: messageOf(error) };
    }
  }

  private become(state: StreamState, why: string): void {
    if (state === this.state) return;
    this.state = state;
    this.settings.changed(state, why);
  }

  private announced(data: string): void {
    const event = parsedJson(data);
    if (!isRecord(event) || typeof event.etag !== 'string') return;
    const isPolling = this.target !== undefined;
    this.target = { digest: event.etag, until: this.runtime.clock.now() + POLL_AGAIN_MS.within };
    if (!isPolling) void this.pollUntilServed(POLL_AGAIN_MS.first);
  }

  private isServed(): boolean {
    return this.target?.digest === this.settings.version();
  }

  /** Of many events in a short time, each does not cause a poll: the next one waits also after a success. */
  private async pollUntilServed(againInMs: number): Promise<void> {
    const { first, longest } = POLL_AGAIN_MS;
    const isOver = (this.target?.until ?? 0) < this.runtime.clock.now();
    if (this.isServed() || isOver) {
      this.target = undefined;
      return;
    }
    await this.settings.poll();
    if (this.closing.signal.aborted) return;
    const next = this.isServed() ? first : Math.min(2 * againInMs, longest);
    this.pollAgain.set(this.isServed() ? first : againInMs, () => void this.pollUntilServed(next));
  }
}

function noStream(reply: Reply, date: number): End {
  const { status, headers, redact } = reply;
  const type = oneLine(redact(String(headers['content-type'])));
  const why = status === 200 ? `${type} instead of a stream` : `${status} with ${contentWords(reply)}`;
  // A 200 of another type is a web page, or comes from a Flipt before 2.9.
  return [...NOT_OFFERED, 200, 406].includes(status)
    ? { state: 'not-offered', why }
    : { state: 'broken', why, retryAfterMs: retryAfterMs(reply, date) };
}

function isEventStream({ headers }: Reply): boolean {
  return /^text\/event-stream\b/i.test(String(headers['content-type']));
}

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
    // Lines without text take memory, too.
    const length = data.reduce((sum, line) => sum + line.length + 1, rest.length);
    if (length > LONGEST_EVENT) throw new Error(`an event of more than ${LONGEST_EVENT} characters`);
  }
}
