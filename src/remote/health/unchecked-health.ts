import type { WatchCondition } from '../../model/events/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { HealthMonitor } from './health-monitor.js';
import * as health from './health-transitions.js';

/**
 * Flipt's health in a runtime that allows no work between the app's calls. Without background work, the provider sends
 * no health checks, and only polls and evaluation requests show whether Flipt is healthy.
 */
export interface UncheckedHealth {
  /**
   * Call this function when Flipt has answered a question, or when the question has failed. `failure` is `undefined` if
   * Flipt has answered.
   */
  readonly asked: (failure: Failure | undefined) => void;
  /** Call this function when a poll of the snapshot has ended. `failure` is `undefined` if the poll succeeded. */
  readonly polled: (failure: Failure | undefined) => void;
  /** Call this function when the watch of the snapshot (its polls and its stream) has got the new state `condition`. */
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  /** After this call, changes of Flipt's health are no longer reported. */
  readonly close: (failure: Failure) => void;
}

export function uncheckedHealth(runtime: Runtime): UncheckedHealth {
  const monitor = new HealthMonitor(() => Promise.resolve(undefined), undefined, runtime);
  const asked = (failure: Failure | undefined) => {
    if (failure === undefined) monitor.become(health.answered(monitor.read(), runtime.clock.now()));
    else if (failure.kind === 'unauthorized' || failure.kind === 'credentials')
      monitor.become(health.unanswered(monitor.read(), failure, monitor.moment()));
  };
  return {
    asked,
    polled(failure) {
      monitor.become(health.polled(monitor.read(), failure));
      asked(failure);
    },
    watched: (condition, failure) => {
      monitor.become(health.watched(monitor.read(), condition, failure, monitor.moment()));
    },
    close: (failure) => {
      monitor.close(failure);
    },
  };
}
