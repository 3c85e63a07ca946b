import { ProviderEvents } from '@openfeature/server-sdk';
import { unlessItThrows } from '../../base/text/describe.js';
import { oneTimer, type Clock } from '../../base/time/clock.js';
import type { FliptProvider } from 'openfeature-flipt-provider';
import type { PushSettings } from './options.js';
import { originOf } from './page-origin.js';
import { NOT_STORED } from './response.js';

const MOST_STREAMS_OF_USER = 8;
/** The events about a change are spread over 1 ms for each browser, which answers it with a request, up to this. */
const LONGEST_SPREAD_MS = 5_000;
/** Bun's server closes a connection that is idle for 10 s. */
const HEARTBEAT_MS = 8_000;
/** How many events can wait in a stream, besides the socket's buffers, before it is given up. */
const MOST_UNREAD = 16;
/** After this, a browser that got no stream tries again. */
const LATER_MS = 20_000;
const HIDDEN_FOR_SEC = 120;

const HEADERS = {
  ...NOT_STORED,
  'content-type': 'text/event-stream',
  // Proxies must neither compress nor buffer events.
  'cache-control': `${NOT_STORED['cache-control']}, no-transform`,
  'x-accel-buffering': 'no',
  // A server that closes waits for kept connections.
  connection: 'close',
};

type ChangeSource = Pick<FliptProvider, 'events' | 'onEvent' | 'getStatus'>;

export function isChangeSource(provider: object | undefined): provider is ChangeSource {
  return provider !== undefined && 'events' in provider && 'onEvent' in provider && 'getStatus' in provider;
}

/** Under this symbol, a provider holds what ends the streams of its browsers. All copies of this package share it. */
const END_STREAMS = Symbol.for('openfeature-flipt-provider.end-streams');

type Streaming = object & { [END_STREAMS]?: Set<() => void> };

export function endStreams(provider: Streaming): void {
  for (const end of [...(provider[END_STREAMS] ?? [])]) end();
}

interface BrowserStream {
  readonly provider: ChangeSource;
  readonly user: string;
  readonly out: ReadableStreamDefaultController<Uint8Array>;
  /** Runs while an event about a change waits for its turn. */
  readonly turn: ReturnType<typeof oneTimer>;
}

export class EventStreams {
  private readonly streams = new Set<BrowserStream>();
  private readonly followed = new WeakSet<ChangeSource>();
  private readonly encoder = new TextEncoder();
  private readonly heartbeat;

  constructor(
    private readonly settings: PushSettings,
    private readonly isVisible: (flagKey: string) => boolean,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {
    this.heartbeat = oneTimer(clock);
  }

  /**
   * The member `eventStreams` of the answer about all flags (OFREP's ADR-0008). A browser with a stream does not
   * poll, so there is none while the provider does not follow Flipt's changes.
   */
  offer(request: Request, provider: object): readonly object[] | undefined {
    const origin = originOf(request);
    if (origin === undefined || !isChangeSource(provider) || isUnwatched(provider)) return undefined;
    const requestUri = this.settings.requestUri ?? ownPath(new URL(request.url).pathname);
    return [{ type: 'sse', endpoint: { origin, requestUri }, inactivityDelaySec: HIDDEN_FOR_SEC }];
  }

  /** `user` is the browser's targetingKey, or `''`. */
  open(provider: object | undefined, user: string): Response {
    const source =
      isChangeSource(provider) && provider.getStatus().condition !== 'closed' ? provider : undefined;
    // Another provider may answer for the domain now.
    this.end((stream) => stream.provider !== source);
    // For any other status than 200, a browser would give up, or try again each second.
    return new Response(
      source !== undefined && this.hasRoomFor(user)
        ? this.stream(source, user)
        : retry(LATER_MS) + this.refetch(),
      { headers: HEADERS },
    );
  }

  private hasRoomFor(user: string): boolean {
    const ofUser = [...this.streams].filter((stream) => stream.user === user).length;
    return this.streams.size < this.settings.maxStreams && (user === '' || ofUser < MOST_STREAMS_OF_USER);
  }

  /** The first event comes at once: a flag may have changed since the browser fetched its flags. */
  private stream(provider: ChangeSource, user: string): ReadableStream<Uint8Array> {
    this.follow(provider);
    let stream: BrowserStream | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (out) => {
          stream = { provider, user, out, turn: oneTimer(this.clock) };
          this.streams.add(stream);
          this.beat();
          this.write(stream, retry(1_000 + this.random() * (2_000 + this.spreadMs())) + this.refetch());
        },
        cancel: () => {
          if (stream !== undefined) this.forget(stream);
        },
      },
      { highWaterMark: MOST_UNREAD },
    );
  }

  /** Nothing remembers the id. */
  private refetch(): string {
    const id = Math.floor(this.random() * 2 ** 48).toString(36);
    return `id: ${id}\ndata: {"type":"refetchEvaluation"}\n\n`;
  }

  private spreadMs(): number {
    return Math.min(LONGEST_SPREAD_MS, this.streams.size);
  }

  /** Changes that come together lead to one event in each stream. */
  private announce(): void {
    const spreadMs = this.spreadMs();
    for (const stream of this.streams) {
      stream.turn.ensure(this.random() * spreadMs, () => {
        this.write(stream, this.refetch());
      });
    }
  }

  private beat(): void {
    if (this.streams.size === 0) return;
    this.heartbeat.ensure(HEARTBEAT_MS, () => {
      for (const stream of this.streams) this.write(stream, ':\n\n');
      this.beat();
    });
  }

  private write(stream: BrowserStream, text: string): void {
    if ((stream.out.desiredSize ?? 0) <= 0) this.close(stream);
    else stream.out.enqueue(this.encoder.encode(text));
  }

  private close(stream: BrowserStream): void {
    this.forget(stream);
    // A stream that is only closed would wait for a browser that no longer reads.
    if ((stream.out.desiredSize ?? 0) < MOST_UNREAD) stream.out.error(new Error(NOT_READ));
    else stream.out.close();
  }

  private forget(stream: BrowserStream): void {
    stream.turn.stop();
    this.streams.delete(stream);
  }

  private follow(provider: ChangeSource & Streaming): void {
    if (this.followed.has(provider)) return;
    this.followed.add(provider);
    const repeat = oneTimer(this.clock);
    const changed = () => {
      this.announce();
      // A browser may have asked another instance, which sees the change within this time, too early.
      const seenWithinMs = provider.getStatus().watch?.seenWithinMs ?? undefined;
      if (seenWithinMs !== undefined) repeat.set(seenWithinMs, this.announce.bind(this));
    };
    // If `isVisible` throws, the next request of the browser reports it.
    const matters = (flagKey: string) => unlessItThrows(() => this.isVisible(flagKey)) ?? true;
    provider.events.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
      const keys: unknown = details?.flagsChanged;
      if (!Array.isArray(keys) || keys.some(matters)) changed();
    });
    // After an outage, flags that had no answer have one.
    provider.events.addHandler(ProviderEvents.Ready, changed);
    const end = () => {
      this.end((stream) => stream.provider === provider);
    };
    provider.onEvent(end, ['closed']);
    (provider[END_STREAMS] ??= new Set()).add(end);
  }

  private end(isOver: (stream: BrowserStream) => boolean): void {
    for (const stream of this.streams) if (isOver(stream)) this.close(stream);
  }
}

const NOT_READ = 'ofrep: the browser does not read its event stream';

const retry = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

function isUnwatched(source: ChangeSource): boolean {
  const { watch } = source.getStatus();
  return watch === null || watch.mode === 'off' || watch.condition === 'not-offered';
}

/** A browser takes a path that begins with two slashes for an address on another host. */
function ownPath(path: string): string {
  return `/${path.replace(/^[/\\]+/, '')}`;
}
