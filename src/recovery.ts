import type { Clock } from './clock.js';
import type { Ailment, Health } from './health.js';
import { isFailure, type AskAtOnce, type Failure } from './model.js';
import { isRefusal, keepReaching, type Reached } from './service/reach.js';
import { isOutage } from './service/retry.js';

/** So many failures in a row, none of them an outage, are no longer one flag's trouble. */
const FRUITLESS = 10;

export interface RecoverySettings {
  readonly health: Health;
  readonly greet: () => Promise<Reached>;
  /** Told when the service has answered in the background. */
  readonly reached: () => void;
}

/** Learns from what comes of requests what ails the provider, and works at its recovery. */
export interface Recovery {
  readonly observed: (askAtOnce: AskAtOnce) => AskAtOnce;
  /** From now on the service is greeted in the background until it answers. */
  readonly ail: (ailment: Ailment, failure: Failure) => void;
  /** The service answers. */
  readonly well: () => void;
  readonly close: () => void;
}

export function recovery(
  { health, greet, reached }: RecoverySettings,
  clock: Clock,
  random: () => number,
): Recovery {
  let stopReaching: (() => void) | undefined;
  let fruitless = 0;
  let over = false;

  const ail = (ailment: Ailment, failure: Failure) => {
    if (over) return;
    health.ail(ailment, failure);
    stopReaching ??= keepReaching(greet, clock, random, () => {
      reached();
      well();
    });
  };
  const well = () => {
    stopReaching?.();
    stopReaching = undefined;
    health.heal('unreached', 'refused');
  };
  const learn = (failure: Failure) => {
    if (isRefusal(failure) || failure.kind === 'credentials') ail('refused', failure);
    else if (isUnusable(failure) && ++fruitless >= FRUITLESS && !health.has('failing')) {
      health.ail('unusable', failure);
    }
  };

  return {
    ail,
    well,
    observed: (askAtOnce) => async (questions) => {
      const outcome = await askAtOnce(questions);
      if (over) return outcome;
      if (isFailure(outcome)) {
        learn(outcome);
        return outcome;
      }
      fruitless = 0;
      health.heal('unusable');
      well();
      return outcome;
    },
    close() {
      over = true;
      stopReaching?.();
    },
  };
}

/** There was an answer, but to no question. */
function isUnusable(failure: Failure): boolean {
  return (failure.kind === 'status' || failure.kind === 'unreadable') && !isOutage(failure);
}
