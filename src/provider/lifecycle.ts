import {
  ProviderEvents,
  type EvaluationContext,
  type OpenFeatureEventEmitter,
} from '@openfeature/server-sdk';
import { openDiagnostics } from '../model/events/reporter.js';
import { openHistory } from './diagnostics/event-history.js';
import { openUserListeners } from './diagnostics/user-listeners.js';
import { failedResolution } from '../model/answer.js';
import { sizeWarnings, type ProviderSettings } from '../options/settings.js';
import type { Runtime } from '../model/runtime.js';
import type { Tracking } from './tracking/tracking.js';
import { openCondition } from './condition.js';
import { CLOSED, errorOf } from './mapping/openfeature-errors.js';
import type { Pipeline } from './pipeline.js';
import { openPipeline } from './wiring/open-pipeline.js';
import { statusOf } from './status/read-status.js';

export type Lifecycle = ReturnType<typeof openLifecycle>;

/**
 * A provider's lifecycle: it starts, runs and closes, and may start again. What lasts longer than one life is here, too.
 * The first life begins at once.
 */
export function openLifecycle(
  settings: ProviderSettings,
  events: OpenFeatureEventEmitter,
  world: Pick<Runtime, 'clock' | 'random'>,
) {
  const { logger } = settings;
  const { clock } = world;
  const history = openHistory(clock);
  const condition = openCondition(events, clock);
  const userListeners = openUserListeners(logger.warn);
  const doubt = sizeWarnings(settings);
  if (doubt !== undefined) logger.warn(doubt);

  let hasRefused = false;
  /** The last close, while it is in progress: some requests are still under way then. */
  let closing: { readonly life: Pipeline; readonly ended: Promise<void> } | undefined;

  const live = (): Pipeline => {
    const diagnostics = openDiagnostics();
    // Attached first, so that the status is up to date when a listener reads it, of OpenFeature's events or ours.
    history.attach(diagnostics);
    const life = openPipeline(settings, condition, world, diagnostics);
    life.listen('flags-changed', ({ flags }) => {
      announceChange(events, flags);
    });
    userListeners.attach(life);
    return life;
  };
  let running: Pipeline | undefined = live();

  return {
    /** The current life; `undefined` once it is closed. */
    running: () => running,
    /** The same; throws PROVIDER_NOT_READY once it is closed. */
    open() {
      if (running === undefined) throw errorOf(CLOSED);
      return running;
    },
    /** In the current life. The first call after the close is logged, because OpenFeature still calls it READY. */
    evaluate: (flagKey: string, context: EvaluationContext) => {
      if (running !== undefined) return running.evaluate(flagKey, context);
      if (!hasRefused) logger.warn(`A flag was asked for, but ${CLOSED.message}; calls get defaults`);
      hasRefused = true;
      return failedResolution(CLOSED);
    },
    /** Tracks what callers get; `undefined` without the option `tracking`. */
    exposed:
      settings.tracking &&
      ((...given: Parameters<Tracking['exposed']>) => {
        running?.tracking?.exposed(...given);
      }),
    /** Starts the current life, or a new one after a close. Resolves with the failure, if there is one. Never rejects. */
    start: () => (running ??= live()).start(),
    /** Concurrent callers share one close. */
    close: async () => {
      const life = running;
      running = undefined;
      if (life !== undefined) {
        hasRefused = false;
        condition.close();
        const ended = life.close().finally(() => {
          if (closing?.life === life) closing = undefined;
        });
        closing = { life, ended };
      }
      await closing?.ended;
    },
    /** Forgets the known answers of some flags, or of all, and emits that the flags may have changed. */
    forget(flags?: readonly string[]) {
      running?.forget(flags);
      // In-process, the immediate poll announces what has changed.
      if (running?.isHere(flags) !== true) announceChange(events, flags);
    },
    observe: userListeners.add,
    status: () => {
      const readings = (running ?? closing?.life)?.read();
      return statusOf(settings, condition.current(), history, readings, clock);
    },
  };
}

function announceChange(events: OpenFeatureEventEmitter, flags: readonly string[] | undefined): void {
  events.emit(ProviderEvents.ConfigurationChanged, flags ? { flagsChanged: [...flags] } : {});
}
