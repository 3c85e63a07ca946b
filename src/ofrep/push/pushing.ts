import type { Clock } from '../../clock.js';
import { NOT_STORED } from '../refusals.js';
import { followChanges, isChangeSource } from './changes.js';
import { originOf } from './own-page.js';
import type { PushSettings } from './push-options.js';
import { encoded, refetch, retry } from './stream-text.js';
import { openStreams } from './streams.js';

/** An event stream in the answer about all flags, as OFREP's ADR-0008 describes it. */
export interface EventStream {
  readonly type: 'sse';
  readonly endpoint: { readonly origin: string; readonly requestUri: string };
  /** The browser closes the stream of a page that was hidden for so many seconds. */
  readonly inactivityDelaySec: number;
}

export interface Pushing {
  /** What the answer to this request says about streams; `undefined`: nothing. */
  readonly eventStreams: (request: Request, provider: object) => readonly EventStream[] | undefined;
  /** The answer to a browser that opens a stream. */
  readonly open: (request: Request, provider: object | undefined, user: string) => Response;
}

const INACTIVITY_DELAY_SEC = 120;
/** So long, a browser waits that gets no stream. */
const LATER_MS = 20_000;

const HEADERS = {
  ...NOT_STORED,
  'content-type': 'text/event-stream',
  // A proxy or middleware that compresses or buffers would hold events back.
  'cache-control': `${NOT_STORED['cache-control']}, no-transform`,
  'x-accel-buffering': 'no',
};

/** Pushes changes of the flags for which `isVisible` returns true. */
export function pushing(
  settings: PushSettings,
  isVisible: (flagKey: string) => boolean,
  clock: Clock,
  random: () => number,
): Pushing {
  const streams = openStreams(settings, clock, random);
  let followed: { readonly provider: object; readonly stop: () => void } | undefined;

  /** Whether the streams tell of this provider's changes. Those of another one end. */
  const follow = (provider: object | undefined): boolean => {
    if (followed !== undefined && followed.provider === provider) return true;
    unfollow();
    if (!isChangeSource(provider) || provider.getStatus().condition === 'closed') return false;
    const stop = followChanges(provider, isVisible, { changed: streams.announce, closed: unfollow });
    followed = { provider, stop };
    return true;
  };
  const unfollow = () => {
    followed?.stop();
    followed = undefined;
    streams.endAll();
  };

  return {
    eventStreams(request, provider) {
      const origin = originOf(request);
      // A browser with a stream polls no more, so it would never see a change.
      if (origin === undefined || !follow(provider) || isUnwatched(provider)) return undefined;
      const requestUri = settings.requestUri ?? ownPath(new URL(request.url).pathname);
      return [{ type: 'sse', endpoint: { origin, requestUri }, inactivityDelaySec: INACTIVITY_DELAY_SEC }];
    },
    open(request, provider, user) {
      const lastEventId = request.headers.get('last-event-id');
      const body = follow(provider) ? streams.open(user, lastEventId) : undefined;
      return new Response(body ?? encoded(later(random)), { headers: HEADERS });
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

function isUnwatched(provider: object): boolean {
  if (!isChangeSource(provider)) return false;
  const { watch } = provider.getStatus();
  return watch === null || watch.mode === 'off' || watch.condition === 'not-offered';
}

/** Two slashes would lead to another host. */
function ownPath(path: string): string {
  return `/${path.replace(/^[/\\]+/, '')}`;
}
