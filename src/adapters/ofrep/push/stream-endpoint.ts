import type { Runtime } from '../../../model/runtime.js';
import { EVENT_STREAM } from '../../../base/text/server-sent-event.js';
import { NOT_STORED } from '../refusals.js';
import { browserStreams, encoded, refetch, retry } from './browser-streams.js';
import { isChangeSource, onChanges, type ChangeSource } from './provider-changes.js';
import type { PushSettings } from '../ofrep-options.js';

/** How long a page must be hidden, in seconds, until the browser closes its stream. */
const INACTIVITY_DELAY_SEC = 120;
/** How many milliseconds a browser that gets no stream waits before it tries again. */
const LATER_MS = 20_000;

const HEADERS = {
  ...NOT_STORED,
  'content-type': EVENT_STREAM,
  // The two headers below tell proxies and middleware not to compress or buffer the stream, because compression and
  // buffers delay events.
  'cache-control': `${NOT_STORED['cache-control']}, no-transform`,
  'x-accel-buffering': 'no',
};

/**
 * Creates the event streams of one OFREP handler. The streams report changes of those flags for which `isVisible`
 * returns true.
 */
export function streamEndpoint(
  settings: PushSettings,
  isVisible: (flagKey: string) => boolean,
  runtime: Pick<Runtime, 'clock' | 'random'>,
) {
  const streams = browserStreams(settings, runtime);
  let current: { readonly source: ChangeSource; readonly stop: () => void } | undefined;

  /**
   * Makes the streams report the changes of this provider. If another provider was used before, its streams end.
   * Returns `undefined` if the provider is closed, or cannot report changes.
   */
  const sourceOf = (provider: object | undefined): ChangeSource | undefined => {
    if (current !== undefined && current.source === provider) return current.source;
    end();
    if (!isChangeSource(provider) || provider.getStatus().condition === 'closed') return undefined;
    const stop = onChanges(provider, isVisible, { changed: streams.announce, closed: end });
    current = { source: provider, stop };
    return provider;
  };
  const end = () => {
    current?.stop();
    current = undefined;
    streams.endAll();
  };

  return {
    /**
     * Returns the member `eventStreams` for the answer about all flags, as OFREP's ADR-0008 describes it, or
     * `undefined` if the browser can get no stream.
     */
    eventStreams(request: Request, provider: object) {
      const origin = originOf(request);
      const source = origin === undefined ? undefined : sourceOf(provider);
      // A browser with a stream no longer polls, so the browser gets no stream if the provider does not follow Flipt's
      // changes.
      if (origin === undefined || source === undefined || isUnwatched(source)) return undefined;
      const requestUri = settings.requestUri ?? ownPath(new URL(request.url).pathname);
      return [{ type: 'sse', endpoint: { origin, requestUri }, inactivityDelaySec: INACTIVITY_DELAY_SEC }];
    },
    /** Answers a browser that opens a stream. `user` is the visitor's targetingKey, or `''` if the visitor has none. */
    open(request: Request, provider: object | undefined, user: string): Response {
      const lastEventId = request.headers.get('last-event-id');
      const body = sourceOf(provider) && streams.open(user, lastEventId);
      return new Response(body ?? encoded(later(runtime.random)), { headers: HEADERS });
    },
  };
}

/**
 * Returns the text for a browser that cannot get a stream now. A browser that reads this text fetches its flags once,
 * and tries to open a stream again later. If the response had another status than 200, the browser would give up, or
 * would try again every second.
 */
function later(random: () => number): string {
  return retry(LATER_MS) + refetch(`later-${Math.floor(random() * 2 ** 32).toString(36)}`);
}

function isUnwatched(source: ChangeSource): boolean {
  const { watch } = source.getStatus();
  return watch === null || watch.mode === 'off' || watch.condition === 'not-offered';
}

/** A browser would take a path that begins with two slashes for an address on another host. */
function ownPath(path: string): string {
  return `/${path.replace(/^[/\\]+/, '')}`;
}

/**
 * Returns whether a page of this app has sent the request. Without this check, a page of another origin could make its
 * visitors' browsers open streams to this app, with the visitors' cookies. Browsers send no Origin with a GET to the
 * page's own origin and, over plain `http:` to another machine, no Sec-Fetch-Site. If a request has neither
 * Sec-Fetch-Site nor Origin, only the header Referer tells where the request comes from. A page can leave Referer out
 * but cannot forge it. To get a stream, a client that is not a browser has to send one of the headers Sec-Fetch-Site,
 * Origin and Referer.
 */
export function isFromOwnPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' && (origin === null || isOwn(origin, request));
  return isOwn(origin ?? request.headers.get('referer'), request);
}

/**
 * Returns the origin of the page that asks for its flags, or `undefined` if the handler would refuse to open a stream
 * for this page.
 */
export function originOf(request: Request): string | undefined {
  const origin = request.headers.get('origin');
  if (origin === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const site = request.headers.get('sec-fetch-site');
  // The browser will open the stream with a GET, which has no header Origin. `isFromOwnPage` accepts a GET without
  // Origin only because of its Sec-Fetch-Site or Referer, so the POST for all flags must already have Sec-Fetch-Site or
  // Referer.
  const isOpened = site === null ? isOwn(request.headers.get('referer'), request) : site === 'same-origin';
  return isOpened ? new URL(origin).origin : undefined;
}

function isOwn(page: string | null, { headers, url }: Request): boolean {
  if (page === null || !URL.canParse(page)) return false;
  const { protocol, host } = new URL(page);
  const own = `${protocol}//${headers.get('host') ?? new URL(url).host}`;
  return URL.canParse(own) && new URL(own).host === host;
}
