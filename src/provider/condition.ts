import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { Clock } from '../base/time/clock.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Diagnostics } from '../model/events/reporter.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import { CLOSED, startErrorOf } from './mapping/openfeature-errors.js';
import { deriveState, type DerivedState, type Fallback, type ProviderState } from './status/derive-state.js';

/** The provider's condition, since when (milliseconds since the epoch), and the reason for `stale` and `error`. */
export interface ConditionSince {
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
 * Owns the provider's condition, through all its lives, and emits each change as OpenFeature's event. Between a start and
 * the close, `deriveState` says which it is.
 */
export class Condition {
  private now: ConditionSince;
  /** What an earlier life still reports does not count any more. */
  private newest: LifeCondition | undefined;

  constructor(
    private readonly events: OpenFeatureEventEmitter,
    private readonly clock: Clock,
  ) {
    this.now = { state: 'not-started', at: clock.date(), why: null };
  }

  current(): ConditionSince {
    return this.now;
  }

  /** Begins a life. */
  begin(runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>, fallback: Fallback): LifeCondition {
    const life: LifeCondition = new LifeCondition(this, () => this.newest !== life, fallback, runtime);
    this.newest = life;
    return life;
  }

  /** Ends the life. */
  close(): void {
    this.newest = undefined;
    this.become('closed');
  }

  become(state: ConditionSince['state'], why = ''): void {
    if (state === this.now.state) return;
    // Being ready needs no reason.
    const reason = state === 'stale' || state === 'error' ? why : null;
    this.now = { state, at: this.clock.date(), why: reason };
  }

  /** Becomes this, and emits it. */
  announce(state: ProviderState, message: string): void {
    this.become(state, message);
    // Never PROVIDER_FATAL: the SDK would stop calling the provider, and nothing would show that it works again.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    outsideRequests(() => {
      this.events.emit(EVENTS[state], details);
    });
  }

  /** Becomes an error, and emits it as the failure of a start. */
  failStart(failure: Failure): void {
    this.become('error', failure.message);
    const { message, code: errorCode } = startErrorOf(failure);
    // Without this event, a MultiProvider around this provider would not learn of the failure.
    this.events.emit(ProviderEvents.Error, { message, errorCode });
  }
}

/** The condition in one life of a provider. */
export class LifeCondition {
  /** OpenFeature announces how a start ends. An event before that would be lost, or come twice. */
  private isStarting = false;
  private readonly derived: () => DerivedState;

  constructor(
    private readonly condition: Condition,
    private readonly isOver: () => boolean,
    private readonly fallback: Fallback,
    private readonly runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>,
  ) {
    this.derived = deriveState(runtime, fallback, (state, message) => {
      if (!this.isStarting && !this.isOver()) condition.announce(state, message);
    });
  }

  /** The state that follows from the problems that are known. */
  state(): ProviderState {
    return this.derived().state;
  }

  /**
   * Runs a start, and announces how it ended. Resolves with its failure, if there is one and no snapshot to evaluate
   * from. Never rejects if the start does not. Without an `attempt`, the end of the turn is not waited for.
   */
  async start(attempt: (() => Promise<Failure | undefined>) | undefined): Promise<Failure | undefined> {
    this.isStarting = attempt !== undefined;
    this.condition.become('starting');
    const failure = await attempt?.();
    if (this.isOver()) return CLOSED;
    if (failure !== undefined && !this.fallback.hasSnapshot()) {
      this.isStarting = false;
      this.condition.failStart(failure);
      return failure;
    }
    this.condition.become('ready');
    // Waits, because the SDK must announce READY first.
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
    if (state !== 'ready' && !this.isOver()) this.condition.announce(state, failure?.message ?? message);
  }
}
