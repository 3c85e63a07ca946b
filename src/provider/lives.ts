import { ProviderEvents, type OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { Clock } from '../clock.js';
import { openHistory } from '../diagnostics/history.js';
import { openObservers, type Observers } from '../diagnostics/observers.js';
import type { ProviderState } from '../diagnostics/provider-state.js';
import type { Failure } from '../model/failure.js';
import type { ProviderSettings } from '../options/settings.js';
import { conditionRecord } from './status/condition.js';
import { startErrorOf } from './errors.js';
import { run, type Running } from './pipeline.js';
import { emittingStates } from './state-events.js';
import { statusOf, type FliptStatus } from './status/flipt-status.js';

/** The lives of one provider, one at a time, and what outlasts each. */
export interface Lives {
  /** The current life; `undefined` once it is closed. */
  readonly running: () => Running | undefined;
  /** Starts it; after a close, a new one. Concurrent callers share one start. Returns why it failed. Never rejects. */
  readonly start: () => Promise<Failure | undefined>;
  /** Concurrent callers share one close. */
  readonly close: () => Promise<void>;
  /** Forgets what is known of some flags, or of all, and emits that they may have changed. */
  readonly forget: (flags?: readonly string[]) => void;
  readonly observe: Observers['add'];
  readonly status: () => FliptStatus;
}

/** The first life begins at once. */
export function openLives(
  settings: ProviderSettings,
  events: OpenFeatureEventEmitter,
  clock: Clock,
  random: () => number,
): Lives {
  const history = openHistory(clock);
  const condition = conditionRecord(clock);
  const observers = openObservers((message) => {
    settings.logger.warn(message);
  });

  const announce = emittingStates(events);

  let running: Running | undefined;
  /** From a close until it has ended: some requests are under way until then. */
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
    // Last, so that an event is counted when a listener reads the status.
    observers.attach(next);
    const life: Running = { ...next, start: shared(() => begin(next.start, () => running === life)) };
    return life;
  };
  const begin = async (start: Running['start'], isRunning: () => boolean) => {
    condition.become('starting');
    const failure = await start();
    // Closed meanwhile, which is known already.
    if (!isRunning()) return failure;
    if (failure === undefined) {
      condition.become('ready');
      return undefined;
    }
    condition.become('error', failure.message);
    const { message, code: errorCode } = startErrorOf(failure);
    // A MultiProvider around this one learns of it only by the event.
    if (failure.kind !== 'closed') events.emit(ProviderEvents.Error, { message, errorCode });
    return failure;
  };
  running = live();

  return {
    running: () => running,
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
      condition.become('closed');
      const ended = life.close().finally(() => {
        if (closing?.life === life) closing = undefined;
      });
      closing = { life, ended };
      await ended;
    },
    forget(flags) {
      running?.forget(flags);
      // What an immediate poll finds changed is announced then.
      if (running?.isHere()) return;
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
