import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import { outsideRequests } from '../base/time/background-work.js';
import type { Clock } from '../base/time/clock.js';
import type { Problem } from '../model/events/flipt-event.js';
import type { Failure } from '../model/failure.js';
import type { Problems } from '../remote/health.js';
import { CLOSED, startErrorOf } from './mapping/openfeature-errors.js';

export type ProviderState = 'ready' | 'stale' | 'error';

export interface StateSince {
  readonly state: ProviderState | 'not-started' | 'starting' | 'closed';
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly why: string | null;
}

/** What the state follows from, between a start and the next close. */
interface Reasons {
  readonly problems: () => Problems;
  readonly hasSnapshot: () => boolean;
  readonly knowsAnything: () => boolean;
}

const EVENTS = {
  ready: ProviderEvents.Ready,
  stale: ProviderEvents.Stale,
  error: ProviderEvents.Error,
} as const;

/** The provider's state, and OpenFeature's events about it. */
export class State {
  private shown: Omit<StateSince, 'why'>;
  /** Why the last start failed, or what the last event said. */
  private message = '';
  private worst: Problem | undefined;
  private reasons: Reasons | undefined;
  /** OpenFeature's SDK itself announces the end of a start. */
  private isStarting = false;

  constructor(
    private readonly events: OpenFeatureEventEmitter,
    private readonly clock: Clock,
  ) {
    this.shown = { state: 'not-started', at: clock.date() };
  }

  current(): StateSince {
    const { state } = this.shown;
    const isBad = state === 'stale' || state === 'error';
    return { ...this.shown, why: isBad ? (this.newestCause() ?? this.message) : null };
  }

  begin(reasons: Reasons): void {
    this.reasons = reasons;
    this.worst = undefined;
  }

  isWell(): boolean {
    return this.reasons?.problems().size === 0;
  }

  /** To be called when problems have begun or ended, and after each poll, which may have brought the first snapshot. */
  update(ended = ''): void {
    if (this.isStarting || this.reasons === undefined) return;
    const state = this.now(this.reasons);
    const [worst] = this.reasons.problems().keys();
    const message = this.newestCause() ?? ended;
    // Polls and checks notice one outage at two times.
    const isNews = state !== this.shown.state || (worst !== this.worst && message !== this.message);
    this.worst = worst;
    if (isNews && (state !== 'ready' || this.shown.state !== 'ready')) this.announce(state, message);
  }

  /** Resolves with a failure if the start has failed and there is no snapshot, or if the provider was closed meanwhile. */
  async start(attempt: () => Promise<Failure | undefined>): Promise<Failure | undefined> {
    const { reasons } = this;
    this.isStarting = true;
    this.become('starting');
    const failure = await attempt();
    if (reasons === undefined || reasons !== this.reasons) return CLOSED;
    if (failure !== undefined && !reasons.hasSnapshot()) {
      this.isStarting = false;
      this.become('error', failure.message);
      [this.worst] = reasons.problems().keys();
      const { message, code: errorCode } = startErrorOf(failure);
      // Without this event, a MultiProvider around this provider would stay in ERROR for ever.
      this.events.emit(ProviderEvents.Error, { message, errorCode });
      return failure;
    }
    this.become('ready');
    // The SDK announces READY first, in this turn of the event loop.
    this.clock.endOfTurn(() => {
      if (reasons !== this.reasons) return;
      this.isStarting = false;
      this.update();
    });
    return undefined;
  }

  close(): void {
    this.reasons = undefined;
    this.isStarting = false;
    this.become('closed');
  }

  private now({ problems, hasSnapshot, knowsAnything }: Reasons): ProviderState {
    const [worst] = problems().keys();
    if (worst === undefined) return 'ready';
    return worst === 'watch-lost' || hasSnapshot() || knowsAnything() ? 'stale' : 'error';
  }

  private newestCause(): string | undefined {
    const [failure] = this.reasons?.problems().values() ?? [];
    return failure?.message;
  }

  private become(state: StateSince['state'], message = ''): void {
    this.message = message;
    if (state !== this.shown.state) this.shown = { state, at: this.clock.date() };
  }

  private announce(state: ProviderState, message: string): void {
    this.become(state, message);
    // Never PROVIDER_FATAL: the SDK would shut calls off, although there may be cached answers.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    outsideRequests(() => {
      this.events.emit(EVENTS[state], details);
    });
  }
}
