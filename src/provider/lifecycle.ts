import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { Clock } from '../clock.js';
import { openHistory } from '../diagnostics/history.js';
import { openObservers, type Observers } from '../diagnostics/observers.js';
import type { ProviderState } from './status/provider-state.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import { stateRecord } from './status/state-since.js';
import { startErrorOf } from './errors.js';
import { doubtfulSizes } from '../options/doubtful-sizes.js';
import { CLOSED, run, type Running } from './pipeline.js';
import { emittingStates } from './state-events.js';
import { statusOf, type FliptStatus } from './status/flipt-status.js';

/** A provider's lifecycle: it starts, runs and closes, and may start again. What lasts longer than one run is here, too. */
export interface Lifecycle {
  /** The current life; `undefined` once it is closed. */
  readonly running: () => Running | undefined;
  /** The failure of a call after the close. The first one is logged, because OpenFeature still calls it READY. */
  readonly refusal: () => Failure;
  /**
   * Starts the current life, or a new one after a close. Concurrent callers share one start. Resolves with the failure,
   * if there is one. Never rejects.
   */
  readonly start: () => Promise<Failure | undefined>;
  /** Concurrent callers share one close. */
  readonly close: () => Promise<void>;
  /** Forgets the known answers of some flags, or of all, and emits that the flags may have changed. */
  readonly forget: (flags?: readonly string[]) => void;
  readonly observe: Observers['add'];
  readonly status: () => FliptStatus;
}

/** The first life begins at once. */
export function openLifecycle(
  settings: ProviderSettings,
  events: OpenFeatureEventEmitter,
  clock: Clock,
  random: () => number,
): Lifecycle {
  const history = openHistory(clock);
  const condition = stateRecord(clock);
  const observers = openObservers((message) => {
    settings.logger.warn(message);
  });

  const announce = emittingStates(events);
  const doubt = doubtfulSizes(settings);
  if (doubt !== undefined) settings.logger.warn(doubt);

  let running: Running | undefined;
  let hasRefused = false;
  /** Set while a close is in progress, because some requests are still under way then. */
  let closing: { readonly life: Running; readonly ended: Promise<void> } | undefined;

  const live = (): Running => {
    const changed = (state: ProviderState, message: string) => {
      condition.become(state, message);
      announce(state, message);
    };
    const next = run(settings, changed, clock, random);
    next.listen('flags-changed', ({ flags }) => {
      events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged: [...flags] });
    });
    history.attach(next);
    // Attached last, so that an event is counted before a listener reads the status.
    observers.attach(next);
    const life: Running = { ...next, start: shared(() => begin(next.start, () => running === life)) };
    return life;
  };
  const begin = async (start: Running['start'], isRunning: () => boolean) => {
    condition.become('starting');
    const failure = await start();
    // The provider was closed meanwhile, and the condition says so already.
    if (!isRunning()) return failure;
    if (failure === undefined) {
      condition.become('ready');
      return undefined;
    }
    condition.become('error', failure.message);
    const { message, code: errorCode } = startErrorOf(failure);
    // Without this event, a MultiProvider around this provider would not learn of the failure.
    if (failure.kind !== 'closed') events.emit(ProviderEvents.Error, { message, errorCode });
    return failure;
  };
  running = live();

  return {
    running: () => running,
    refusal() {
      if (!hasRefused)
        settings.logger.warn(`A flag was asked for, but ${CLOSED.message}; calls get defaults`);
      hasRefused = true;
      return CLOSED;
    },
    start() {
      running ??= live();
      return running.start();
    },
    async close() {
      if (running === undefined) {
        await closing?.ended;
        return;
      }
      const life = running;
      running = undefined;
      hasRefused = false;
      condition.become('closed');
      const ended = life.close().finally(() => {
        if (closing?.life === life) closing = undefined;
      });
      closing = { life, ended };
      await ended;
    },
    forget(flags) {
      running?.forget(flags);
      // In-process, the immediate poll announces what has changed.
      if (running?.isHere(flags)) return;
      events.emit(
        ProviderEvents.ConfigurationChanged,
        flags === undefined ? {} : { flagsChanged: [...flags] },
      );
    },
    observe: observers.add,
    status: () => statusOf(settings, condition.current(), history, (running ?? closing?.life)?.read()),
  };
}

/** Concurrent callers share one run. */
function shared<T>(start: () => Promise<T>): () => Promise<T> {
  let starting: Promise<T> | undefined;
  return () =>
    (starting ??= start().finally(() => {
      starting = undefined;
    }));
}
