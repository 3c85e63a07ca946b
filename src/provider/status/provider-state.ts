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

/** Says whether the provider can still answer while Flipt fails. */
export interface Fallback {
  /** The present problems, the worst one first. */
  readonly problems: () => Problems;
  /** Returns `true` if the provider can answer at least one evaluation without Flipt. */
  readonly knowsAnything: () => boolean;
  readonly hasSnapshot: () => boolean;
}

/** A state of the provider, and a message that gives the reason for the state. */
export interface DerivedState {
  readonly state: ProviderState;
  readonly message: string;
}

/**
 * The provider's state, the time when this state began (in milliseconds since the epoch), and the reason for `stale` or
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
 * Owns the provider's state, and emits OpenFeature's events about the state. Between a start and the next close,
 * `deriveState` decides which state the provider has.
 */
export class ReportedState {
  private now: StateSince;
  /**
   * Follows the state since the provider was created or last started. This member is `undefined` after the close.
   * Reports of a pipeline that was closed have no effect, because `newest` no longer belongs to that pipeline.
   */
  private newest: StateFollower | undefined;

  constructor(
    private readonly events: OpenFeatureEventEmitter,
    private readonly clock: Clock,
  ) {
    this.now = { state: 'not-started', at: clock.date(), why: null };
  }

  current(): StateSince {
    return this.now;
  }

  /** Makes the object that follows the provider's state from now until the next close. */
  begin(runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>, fallback: Fallback): StateFollower {
    const follower: StateFollower = new StateFollower(
      this,
      () => this.newest !== follower,
      fallback,
      runtime,
    );
    this.newest = follower;
    return follower;
  }

  /** Sets the state `closed`, and ignores what the closed provider still reports. */
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

  /** Sets the provider's state, and emits the event of OpenFeature for this state. */
  announce(state: ProviderState, message: string): void {
    this.become(state, message);
    this.explain(message);
    // After the start, the error code is always GENERAL. After an error event with the code PROVIDER_FATAL, the SDK
    // would not call the provider until its next event, even if the provider has cached answers.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    outsideRequests(() => {
      this.events.emit(EVENTS[state], details);
    });
  }

  /** Replaces the reason for `stale` or `error` with a newer reason, and emits no event. */
  explain(why: string): void {
    if (this.now.why !== null) this.now = { ...this.now, why };
  }

  /** Sets the state `error` after a failed start, and emits OpenFeature's error event. */
  failStart(failure: Failure): void {
    this.become('error', failure.message);
    const { message, code: errorCode } = startErrorOf(failure);
    // Without this event, a MultiProvider around this provider would not notice the failed start.
    this.events.emit(ProviderEvents.Error, { message, errorCode });
  }
}

/** Follows the provider's state from a start to the next close. */
export class StateFollower {
  /**
   * Is `true` while the provider is starting. The provider announces no state during the start, because OpenFeature's
   * SDK itself announces the end of the start.
   */
  private isStarting = false;
  private readonly derived: ReturnType<typeof deriveState>;

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

  /** Call this function when problems have begun or ended. */
  problemsChanged(before: Problems, after: Problems, isStarting: boolean): void {
    this.derived.problemsChanged(before, after, isStarting);
  }

  /** Returns the state that follows from the provider's present problems. */
  state(): ProviderState {
    return this.derived.read().state;
  }

  /**
   * Runs `attempt`, and sets the state in which the start has ended. The promise resolves with a failure if the
   * provider was closed meanwhile, or if the start has failed and there is no snapshot to evaluate from. The promise
   * rejects only if `attempt` rejects. If `attempt` is `undefined`, the state becomes `ready` at once.
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
    // The SDK must announce READY before the provider announces another state, so the provider waits until the end of
    // this turn of the event loop.
    if (this.isStarting) {
      this.runtime.clock.endOfTurn(() => {
        this.started(failure);
      });
    }
    return undefined;
  }

  private started(failure: Failure | undefined): void {
    this.isStarting = false;
    const { state, message } = this.derived.read();
    if (state !== 'ready' && !this.isOver()) this.reported.announce(state, failure?.message ?? message);
  }
}

/**
 * Derives the provider's state from its problems. The reason for `stale` and `error` is the newest cause of the worst
 * problem. The function calls `changed` when the state changes, or when another problem with another message becomes
 * the worst problem. The function calls `explained` when the worst problem stays the same, but has a newer cause. For a
 * change of Flipt's health during a start, the function calls neither `changed` nor `explained`, because the end of the
 * start is announced anyway.
 */
export function deriveState(
  { listen }: Pick<Diagnostics, 'listen'>,
  fallback: Fallback,
  changed: (state: ProviderState, message: string) => void,
  explained: (message: string) => void = () => undefined,
) {
  let derived: DerivedState = { state: 'ready', message: '' };
  /** The worst problem, and the message, at the last change of the state or of the worst problem. */
  let told: { readonly worst?: Problem | undefined; readonly message?: string } = {};
  const { problems } = fallback;
  let emptied: Emptied | undefined;

  const stateNow = (): ProviderState => {
    const present = problems();
    if (present.size === 0) return 'ready';
    if (fallback.hasSnapshot() || fallback.knowsAnything()) return 'stale';
    // Without a watch, answers still come from Flipt, and expire by their age.
    return present.size === 1 && present.has('watch-lost') ? 'stale' : 'error';
  };
  const reassess = (ended: string, isAnnounced: boolean) => {
    const before = derived;
    const state = stateNow();
    const [first] = problems();
    const [worst, failure] = first ?? [];
    const message = failure?.message ?? ended;
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
  listen('snapshot-polled', ({ failure, emptied: now }) => {
    emptied = now;
    // In the state `error`, there was no snapshot. If the first snapshot has come since, the state is now `stale`, or
    // `ready` if no serious problem is left.
    if (derived.state === 'error' || (failure !== undefined && problems().has('watch-lost')))
      reassess('', true);
  });
  return {
    read: () => derived,
    problemsChanged(before: Problems, after: Problems, isStarting: boolean) {
      reassess(endedMessage(before, after, emptied) ?? '', !isStarting);
    },
  };
}
