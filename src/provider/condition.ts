import { ErrorCode, ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { Clock } from '../base/time/clock.js';
import { outsideRequests } from '../base/time/background-work.js';
import type { Diagnostics } from '../model/events/reporter.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import { CLOSED, startErrorOf } from './mapping/openfeature-errors.js';
import { deriveState, type Fallback, type ProviderState } from './status/derive-state.js';

/** The provider's condition, since when (milliseconds since the epoch), and the reason for `stale` and `error`. */
export interface ConditionSince {
  readonly state: ProviderState | 'not-started' | 'starting' | 'closed';
  readonly at: number;
  readonly why: string | null;
}

export type Condition = ReturnType<typeof openCondition>;

const EVENTS = {
  ready: ProviderEvents.Ready,
  stale: ProviderEvents.Stale,
  error: ProviderEvents.Error,
} as const;

/**
 * Owns the provider's condition, through all its lives, and emits each change as OpenFeature's event. Between a start and
 * the close, `deriveState` says which it is.
 */
export function openCondition(events: OpenFeatureEventEmitter, clock: Clock) {
  let current: ConditionSince = { state: 'not-started', at: clock.date(), why: null };
  let newest: object | undefined;

  const become = (state: ConditionSince['state'], why = '') => {
    if (state === current.state) return;
    // Being ready needs no reason.
    current = { state, at: clock.date(), why: state === 'stale' || state === 'error' ? why : null };
  };
  const announce = (state: ProviderState, message: string) => {
    become(state, message);
    // Never PROVIDER_FATAL: the SDK would stop calling the provider, and nothing would show that it works again.
    const details = state === 'error' ? { message, errorCode: ErrorCode.GENERAL } : { message };
    outsideRequests(() => {
      events.emit(EVENTS[state], details);
    });
  };

  return {
    current: () => current,
    /** Begins a life. What an earlier one still reports does not count any more. */
    begin(runtime: Pick<Diagnostics, 'listen'> & Pick<Runtime, 'clock'>, fallback: Fallback) {
      const life = {};
      newest = life;
      const isOver = () => newest !== life;
      // OpenFeature announces how a start ends. An event before that would be lost, or come twice.
      let isStarting = false;
      const derived = deriveState(runtime, fallback, (state, message) => {
        if (!isStarting && !isOver()) announce(state, message);
      });

      return {
        /** The state that follows from the problems that are known. */
        state: () => derived().state,
        /**
         * Runs a start, and announces how it ended. Resolves with its failure, if there is one and no snapshot to
         * evaluate from. Never rejects if the start does not. Without an `attempt`, the end of the turn is not waited for.
         */
        async start(attempt: (() => Promise<Failure | undefined>) | undefined) {
          isStarting = attempt !== undefined;
          become('starting');
          const failure = await attempt?.();
          if (isOver()) return CLOSED;
          if (failure === undefined || fallback.hasSnapshot()) {
            become('ready');
            // Waits, because the SDK must announce READY first.
            if (isStarting) {
              clock.endOfTurn(() => {
                isStarting = false;
                const { state, message } = derived();
                if (state !== 'ready' && !isOver()) announce(state, failure?.message ?? message);
              });
            }
            return undefined;
          }
          isStarting = false;
          become('error', failure.message);
          const { message, code: errorCode } = startErrorOf(failure);
          // Without this event, a MultiProvider around this provider would not learn of the failure.
          events.emit(ProviderEvents.Error, { message, errorCode });
          return failure;
        },
      };
    },
    /** Ends the life. */
    close() {
      newest = undefined;
      become('closed');
    },
  };
}
