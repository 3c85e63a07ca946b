import type { WatchCondition } from '../../model/events/flipt-event.js';
import type { Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { HealthMonitor } from './health-monitor.js';
import * as health from './health-transitions.js';

/**
 * The service's health in a runtime in which nothing can run in the background. The provider sends no checks, and
 * judges the service only by the outcomes of polls and questions.
 */
export interface UncheckedHealth {
  /**
   * To be called when a question has been answered or has failed. `failure` is `undefined` if the question was
   * answered.
   */
  readonly asked: (failure: Failure | undefined) => void;
  /** To be called when a poll of the snapshot has ended. `failure` is `undefined` if the poll succeeded. */
  readonly polled: (failure: Failure | undefined) => void;
  /** To be called when the watch of the snapshot has a new state, `condition`. */
  readonly watched: (condition: WatchCondition, failure: Failure | undefined) => void;
  /** Closes the health. After this call, no change of the health is reported any more. */
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
