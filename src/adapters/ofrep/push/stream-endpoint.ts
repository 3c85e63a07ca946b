import type { Runtime } from '../../../model/runtime.js';
import { EVENT_STREAM } from '../../../base/text/server-sent-event.js';
import { NOT_STORED } from '../refusals.js';
import { browserStreams, encoded, refetch, retry } from './browser-streams.js';
import { isChangeSource, onChanges, type ChangeSource } from './provider-changes.js';
import type { PushSettings } from '../ofrep-options.js';

/** The browser closes the stream of a page that was hidden for so many seconds. */
const INACTIVITY_DELAY_SEC = 120;
/** So long, a browser waits that gets no stream. */
const LATER_MS = 20_000;

const HEADERS = {
  ...NOT_STORED,
  'content-type': EVENT_STREAM,
  // A proxy or middleware that compresses or buffers would hold events back.
  'cache-control': `${NOT_STORED['cache-control']}, no-transform`,
  'x-accel-buffering': 'no',
};

/** The event streams of one handler, which push changes of the flags for which `isVisible` returns true. */
export function streamEndpoint(
  settings: PushSettings,
  isVisible: (flagKey: string) => boolean,
  runtime: Pick<Runtime, 'clock' | 'random'>,
) {
  const streams = browserStreams(settings, runtime);
  let current: { readonly source: ChangeSource; readonly stop: () => void } | undefined;

  /**
   * From now on, the streams report the changes of this provider. Streams of another one end. `undefined`: it reports
   * no changes.
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
     * What the answer about all flags says about streams, as OFREP's ADR-0008 describes it; `undefined`: nothing.
     */
    eventStreams(request: Request, provider: object) {
      const origin = originOf(request);
      const source = origin === undefined ? undefined : sourceOf(provider);
      // A browser with a stream polls no more, so it would never see a change.
      if (origin === undefined || source === undefined || isUnwatched(source)) return undefined;
      const requestUri = settings.requestUri ?? ownPath(new URL(request.url).pathname);
      return [{ type: 'sse', endpoint: { origin, requestUri }, inactivityDelaySec: INACTIVITY_DELAY_SEC }];
    },
    /** The answer to a browser that opens a stream for a user; `''`: for a visitor without a targetingKey. */
    open(request: Request, provider: object | undefined, user: string): Response {
      const lastEventId = request.headers.get('last-event-id');
      const body = sourceOf(provider) && streams.open(user, lastEventId);
      return new Response(body ?? encoded(later(runtime.random)), { headers: HEADERS });
    },
  };
}

/**
 * For a browser that gets no stream now. It asks for its flags, and comes back. Any other status would end its attempts,
 * or make it ask each second.
 */
function later(random: () => number): string {
  return retry(LATER_MS) + refetch(`later-${Math.floor(random() * 2 ** 32).toString(36)}`);
}

function isUnwatched(source: ChangeSource): boolean {
  const { watch } = source.getStatus();
  return watch === null || watch.mode === 'off' || watch.condition === 'not-offered';
}

/** Two slashes would lead to another host. */
function ownPath(path: string): string {
  return `/${path.replace(/^[/\\]+/, '')}`;
}

/**
 * Whether a page of this app may have sent the request. A page of another origin can make its visitor's browser open
 * streams here, with the visitor's cookies. Over plain `http:`, browsers send neither Sec-Fetch-Site nor, with a GET of
 * the own page, Origin: only the Referer, which a page can leave out, but not forge. Clients that are no browsers send
 * one of the three.
 */
export function isFromOwnPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' && (origin === null || isOwn(origin, request));
  return isOwn(origin ?? request.headers.get('referer'), request);
}

/** The origin of the page that the answer is for, if the page can open streams of this app. */
export function originOf(request: Request): string | undefined {
  const origin = request.headers.get('origin');
  if (origin === null || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return undefined;
  const site = request.headers.get('sec-fetch-site');
  // The page's GET will have no Origin. If its Referer is missing, too, it would be refused.
  const isOpened = site === null ? isOwn(request.headers.get('referer'), request) : site === 'same-origin';
  return isOpened ? new URL(origin).origin : undefined;
}

function isOwn(page: string | null, { headers, url }: Request): boolean {
  if (page === null || !URL.canParse(page)) return false;
  const { protocol, host } = new URL(page);
  const own = `${protocol}//${headers.get('host') ?? new URL(url).host}`;
  return URL.canParse(own) && new URL(own).host === host;
}
