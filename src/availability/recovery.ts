import type { Clock } from '../clock.js';
import type { Health, Problem } from './health.js';
import { isFailure, type AskAtOnce } from '../model/answer.js';
import { traitsOf, type Failure } from '../model/failure.js';
import { keepReaching, type Reached } from './reach.js';

/** So many failures in a row, none of them an outage, are no longer one flag's trouble. */
const FRUITLESS = 10;

export interface RecoverySettings {
  readonly health: Health;
  readonly check: () => Promise<Reached>;
  /** Resolution when the service has answered in the background. */
  readonly reached: () => void;
}

/** Learns from the outcomes of requests which problems there are, and checks the service until they end. */
export interface Recovery {
  readonly observed: (askAtOnce: AskAtOnce) => AskAtOnce;
  /** From now on the service is checked in the background until it answers. */
  readonly startFailed: (failure: Failure) => void;
  /** The service answers. */
  readonly answered: () => void;
  readonly close: () => void;
}

export function recovery(
  { health, check, reached }: RecoverySettings,
  clock: Clock,
  random: () => number,
): Recovery {
  let stopReaching: (() => void) | undefined;
  let fruitless = 0;
  let over = false;

  const raise = (problem: Problem, failure: Failure) => {
    if (over) return;
    health.raise(problem, failure);
    stopReaching ??= keepReaching(check, clock, random, () => {
      reached();
      answered();
    });
  };
  const answered = () => {
    stopReaching?.();
    stopReaching = undefined;
    health.clear('unreached', 'refused');
  };
  /** Of the same trouble, most likely. */
  const isToldOf = () => health.has('failing') || health.has('unreached');
  const learn = (failure: Failure) => {
    if (isAboutCredentials(failure)) raise('refused', failure);
    else if (isUnusable(failure) && ++fruitless >= FRUITLESS && !isToldOf())
      health.raise('unusable', failure);
  };

  return {
    startFailed(failure) {
      raise(isAboutCredentials(failure) ? 'refused' : 'unreached', failure);
    },
    answered,
    observed: (askAtOnce) => async (questions) => {
      const outcome = await askAtOnce(questions);
      if (over) return outcome;
      if (isFailure(outcome)) {
        learn(outcome);
        return outcome;
      }
      fruitless = 0;
      health.clear('unusable');
      answered();
      return outcome;
    },
    close() {
      over = true;
      stopReaching?.();
    },
  };
}

function isAboutCredentials(failure: Failure): boolean {
  return traitsOf(failure).cause === 'credentials';
}

/** There was a response, but to no question. */
function isUnusable(failure: Failure): boolean {
  const { responded, countsForCircuit } = traitsOf(failure);
  return responded && countsForCircuit !== 'yes';
}
