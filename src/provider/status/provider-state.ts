import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { Clock } from '../../base/time/clock.js';
import { outsideRequests } from '../../base/time/background-work.js';
import type { Emptied, Problems } from '../../model/events/internal-events.js';
import { endedMessage } from '../diagnostics/health-log.js';
import type { Diagnostics } from '../../model/events/reporter.js';
import type { Problem } from '../../model/events/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { CLOSED, startErrorOf } from '../mapping/openfeature-errors.js';

/** The provider's state as OpenFeature names it. */
export type ProviderState = 'ready' | 'stale' | 'error';

/** What the provider can use when the service fails. */
export interface Fallback {
  /** Returns whether the provider knows any answer. */
  readonly knowsAnything: () => boolean;
  readonly hasSnapshot: () => boolean;
}

/** A state, and the message that says what led to it. */
export interface DerivedState {
  readonly state: ProviderState;
  readonly message: string;
}

/**
 * The provider's state, since when it has had that state (in milliseconds since the epoch), and why it is `stale` or
 * `error`.
 */
export interface StateSince {
  readonly state: ProviderState | 'not-started' | 'starting' | 'closed';
  readonly at: number;
  readonly why: string | null;
}

const EVENTS = {
  ready: ProviderEvents.Ready,
  stale: ProviderEvents.Stale,
  error: ProviderEvents.Error,
} as const;

/**
 * Owns the provider's state, and emits each change as OpenFeature's event. A provider can start again after a close.
 * The time from a start to the close is a life of the provider. During a life, `deriveState` decides which state the
 * provider has.
 */
export class ReportedState {
  private now: StateSince;
  /**
   * The present life of the provider, or `undefined` if no life has begun or the provider is closed. Changes that an
   * earlier life still reports are ignored.
   */
  private newest: StateOfLife | undefined;

  constructor(
    private readonly events: OpenFeatureEventEmitter,
    private readonly clock: Clock,
  ) {
    this.now = { state: 'not-started', at: clock.date(), why: null };
  }

  current(): StateSince {
    return this.now;
  }

  /**
   * To be called when the provider begins a life, which lasts from a start to the close. Returns the object that
   * follows the state during this life.
   */
  begin(runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>, fallback: Fallback): StateOfLife {
    const life: StateOfLife = new StateOfLife(this, () => this.newest !== life, fallback, runtime);
    this.newest = life;
    return life;
  }

  /** Ends the present life. */
  close(): void {
    this.newest = undefined;
    this.become('closed');
  }

  become(state: StateSince['state'], why = ''): void {
    if (state === this.now.state) return;
    // Only `stale` and `error` need a reason.
    const reason = state === 'stale' || state === 'error' ? why : null;
    this.now = { state, at: this.clock.date(), why: reason };
  }

  /** Changes to this state, and emits the change. */
  announce(state: ProviderState, message: string): void {
    this.become(state, message);
    this.explain(message);
    // The error code is never PROVIDER_FATAL, because the SDK would stop calling the provider, and nothing would show
    // that it works again.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    outsideRequests(() => {
      this.events.emit(EVENTS[state], details);
    });
  }

  /** Replaces the reason for `stale` or `error` by a newer one, without an event. */
  explain(why: string): void {
    if (this.now.why !== null) this.now = { ...this.now, why };
  }

  /** Changes to the state `error`, and emits the change as the failure of a start. */
  failStart(failure: Failure): void {
    this.become('error', failure.message);
    const { message, code: errorCode } = startErrorOf(failure);
    // Without this event, a MultiProvider around this provider would not learn of the failure.
    this.events.emit(ProviderEvents.Error, { message, errorCode });
  }
}

/** Follows the provider's state during one life, which lasts from a start to the close. */
export class StateOfLife {
  /**
   * Whether the provider is starting. OpenFeature announces how a start ends, so that an event before the end of the
   * start would be lost or come twice.
   */
  private isStarting = false;
  private readonly derived: () => DerivedState;

  constructor(
    private readonly reported: ReportedState,
    private readonly isOver: () => boolean,
    private readonly fallback: Fallback,
    private readonly runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>,
  ) {
    const isHeard = () => !this.isStarting && !this.isOver();
    this.derived = deriveState(
      runtime,
      fallback,
      (state, message) => {
        if (isHeard()) reported.announce(state, message);
      },
      (why) => {
        if (isHeard()) reported.explain(why);
      },
    );
  }

  /** Returns the state that follows from the known problems. */
  state(): ProviderState {
    return this.derived().state;
  }

  /**
   * Runs a start, and announces how it has ended. The promise resolves with the failure if the start has failed and
   * there is no snapshot to evaluate from. The promise rejects only if the attempt does. Without an `attempt`, the
   * state is reported without waiting for the end of the turn of the event loop.
   */
  async start(attempt: (() => Promise<Failure | undefined>) | undefined): Promise<Failure | undefined> {
    this.isStarting = attempt !== undefined;
    this.reported.become('starting');
    const failure = await attempt?.();
    if (this.isOver()) return CLOSED;
    if (failure !== undefined && !this.fallback.hasSnapshot()) {
      this.isStarting = false;
      this.reported.failStart(failure);
      return failure;
    }
    this.reported.become('ready');
    // The provider waits, because the SDK must announce READY first.
    if (this.isStarting) {
      this.runtime.clock.endOfTurn(() => {
        this.started(failure);
      });
    }
    return undefined;
  }

  private started(failure: Failure | undefined): void {
    this.isStarting = false;
    const { state, message } = this.derived();
    if (state !== 'ready' && !this.isOver()) this.reported.announce(state, failure?.message ?? message);
  }
}

/** The problems that decide the state, the worst one first. Unusable responses might concern only one flag. */
const SERIOUS = [
  'unreachable',
  'credentials-rejected',
  'circuit-open',
  'flags-lost',
  'watch-lost',
] as const satisfies readonly Problem[];

/**
 * Derives the provider's state from its problems. The reason for `stale` and `error` is the newest cause of the worst
 * problem. `changed` is called for another state, and for another reason if the worst problem is another one;
 * `explained` is called for a newer cause of the same problem. Neither function is called while the service's health
 * starts, because the end of that start is announced. The returned function gives the state, and what led to it.
 */
export function deriveState(
  { listen }: Pick<Diagnostics, 'listen'>,
  fallback: Fallback,
  changed: (state: ProviderState, message: string) => void,
  explained: (message: string) => void = () => undefined,
): () => DerivedState {
  let derived: DerivedState = { state: 'ready', message: '' };
  /** The worst problem and the message when `changed` was called last. */
  let told: { readonly worst?: Problem | undefined; readonly message?: string } = {};
  let problems: Problems = new Map();
  let emptied: Emptied | undefined;

  const stateNow = (): ProviderState => {
    const serious = SERIOUS.filter((problem) => problems.has(problem));
    if (serious.length === 0) return 'ready';
    if (fallback.hasSnapshot()) return 'stale';
    // During an outage, the provider can use known answers. Rejected credentials are an error at once.
    const isOutage = serious.every((problem) => problem === 'circuit-open');
    return isOutage && fallback.knowsAnything() ? 'stale' : 'error';
  };
  const reassess = (ended: string, isAnnounced: boolean) => {
    const before = derived;
    const state = stateNow();
    const worst = SERIOUS.find((problem) => problems.has(problem));
    const message = worst === undefined ? ended : (problems.get(worst)?.message ?? '');
    if (state === 'ready' && before.state === 'ready') return;
    derived = { state, message };
    const isTold = state === before.state && (worst === told.worst || message === told.message);
    if (isTold && isAnnounced) {
      if (message !== before.message) explained(message);
      return;
    }
    told = { worst, message };
    if (isAnnounced) changed(state, message);
  };
  const newerCause = (problem: Problem, failure: Failure) => {
    if (!problems.has(problem)) return;
    problems = new Map(problems).set(problem, failure);
    reassess('', true);
  };

  listen('health-changed', ({ before, after, starting }) => {
    problems = after;
    reassess(endedMessage(before, after, emptied) ?? '', !starting);
  });
  listen('circuit-changed', ({ state, failure }) => {
    if (state === 'open' && failure !== undefined) newerCause('circuit-open', failure);
  });
  listen('snapshot-polled', ({ failure, emptied: now }) => {
    emptied = now;
    // The first snapshot can arrive during an outage, and then ends the state `error`.
    if (derived.state === 'error' && failure === undefined) reassess('', true);
    if (failure !== undefined) newerCause('watch-lost', failure);
  });
  return () => derived;
}
