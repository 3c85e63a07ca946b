/** The past polls, as far as they decide when to poll next. Times are milliseconds of the clock's `now`. */
export interface WatchState {
  /** `undefined` before the first success. */
  readonly lastSuccessAt: number | undefined;
  /** What the last whole body cost; 0 before the first. */
  readonly fullBodyMs: number;
  /** When the request under way began. */
  readonly startedAt: number | undefined;
  /** When the last success had become too old; `undefined` while it is recent enough. */
  readonly lostAt: number | undefined;
  /** The service answers as if it had no snapshots, and never had one. */
  readonly offersNone: boolean;
  /** The last request has failed. */
  readonly hasFailed: boolean;
  /** No request before this time: the service has asked for it. */
  readonly notBefore: number;
}

export const UNTRIED: WatchState = {
  lastSuccessAt: undefined,
  fullBodyMs: 0,
  startedAt: undefined,
  lostAt: undefined,
  offersNone: false,
  hasFailed: false,
  notBefore: 0,
};

const RELIABLE_INTERVALS = 3;
/** A whole body is expensive for the service. Fetching it takes at most a twentieth of the time. */
const BODY_SHARE = 20;
const JITTER = 0.2;
/** Requests that an outage delays end at the same time, so the next ones are spread over a whole interval. */
const JITTER_AFTER_FAILURE = 0.5;
/** Share of the interval: instances with the same Retry-After poll one after another. */
const SPREAD_AFTER_PAUSE = 0.5;
const WITHOUT_SNAPSHOTS_MS = 300_000;
/** A longer Retry-After is taken for a mistake. */
export const LONGEST_PAUSE_MS = 3_600_000;

export function started(state: WatchState, now: number): WatchState {
  return { ...state, startedAt: now };
}

/** `fullBodyMs` is `undefined` where the service had nothing new to send. */
export function succeeded(state: WatchState, now: number, fullBodyMs = state.fullBodyMs): WatchState {
  return { ...UNTRIED, lastSuccessAt: now, fullBodyMs };
}

/** Another instance has polled for this one, and had its last success at `lastSuccessAt`. */
export function followed(state: WatchState, pollMs: number, now: number, lastSuccessAt: number): WatchState {
  const next = { ...UNTRIED, lastSuccessAt, fullBodyMs: state.fullBodyMs };
  return { ...next, lostAt: lostAt(next, pollMs, now) };
}

export interface PollFailure {
  readonly offersNone: boolean;
  readonly retryAfterMs: number | undefined;
}

export function failed(
  state: WatchState,
  pollMs: number,
  now: number,
  { offersNone, retryAfterMs = 0 }: PollFailure,
): WatchState {
  return {
    ...state,
    startedAt: undefined,
    lostAt: state.lostAt ?? lostAt(state, pollMs, now),
    offersNone: state.offersNone || (offersNone && state.lastSuccessAt === undefined),
    hasFailed: true,
    notBefore: now + Math.min(retryAfterMs, LONGEST_PAUSE_MS),
  };
}

/** Its last success has become too old, between two polls or during one that gets no answer. */
export function lost(state: WatchState, now: number): WatchState {
  return { ...state, lostAt: state.lostAt ?? now };
}

/** `undefined` if there was nothing to lose, or its time is not over. */
function lostAt(state: WatchState, pollMs: number, now: number): number | undefined {
  const limit = limitOf(state, pollMs);
  return state.lastSuccessAt === undefined || now <= limit ? undefined : limit;
}

export function intervalMs({ fullBodyMs }: Pick<WatchState, 'fullBodyMs'>, pollMs: number): number {
  return Math.max(pollMs, BODY_SHARE * fullBodyMs);
}

/** Milliseconds until the next poll. `random` is in [0, 1), so that many instances do not poll at the same moment. */
export function nextDelayMs(state: WatchState, pollMs: number, now: number, random: number): number {
  const interval = state.offersNone ? WITHOUT_SNAPSHOTS_MS : intervalMs(state, pollMs);
  const delayMs = jittered(interval, state.hasFailed ? JITTER_AFTER_FAILURE : JITTER, random);
  if (now >= state.notBefore) return delayMs;
  return Math.max(delayMs, state.notBefore - now + interval * SPREAD_AFTER_PAUSE * random);
}

/** The same where one instance polls for many: a look at the store spares the service. */
export function nextLookMs({ offersNone }: WatchState, pollMs: number, random: number): number {
  return jittered(offersNone ? WITHOUT_SNAPSHOTS_MS : pollMs, JITTER, random);
}

/** Whether a whole body has cost the service so much that it is not asked again yet. */
export function isTooSoon(fullBodyMs: number, sinceMs: number): boolean {
  return sinceMs < BODY_SHARE * fullBodyMs * (1 - JITTER);
}

function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}

/**
 * Until when the last success is recent enough to rely on. A request under way does not extend it: a service that
 * accepts connections and never answers would seem to be well for a minute more.
 */
export function reliableUntil(state: WatchState, pollMs: number): number {
  return state.lostAt ?? limitOf(state, pollMs);
}

function limitOf(state: WatchState, pollMs: number): number {
  const { lastSuccessAt = -Infinity } = state;
  return lastSuccessAt + RELIABLE_INTERVALS * intervalMs(state, pollMs);
}
