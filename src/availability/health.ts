import { traitsOf, type Failure } from '../model/failure.js';
import type { Logger } from '../options/provider-options.js';

/**
 * What keeps the provider from answering as it should; several may hold at once.
 * - `unreached`: the service has not answered as it should since the start
 * - `refused`: it refuses the credentials, or there are none to send
 * - `failing`: the circuit breaker is open
 * - `unusable`: it answers, but nothing that could be used; logged only, since it may be all about one flag
 */
export type Problem = 'unreached' | 'refused' | 'failing' | 'unusable';
export type Condition = 'ready' | 'stale' | 'error';

/** What is said of it, in front of what went wrong. */
function headline(problem: Problem, failure: Failure): string {
  switch (problem) {
    case 'unreached':
      return traitsOf(failure).responded
        ? 'Flipt does not answer as it should; defaults are served, and it is tried again in the background'
        : 'Flipt cannot be reached; defaults are served, and it is tried again in the background';
    case 'refused':
      return failure.kind === 'credentials'
        ? 'There are no credentials to send to Flipt; known answers and defaults are served, and it is tried again'
        : 'Flipt accepts no credentials of ours; known answers and defaults are served, and it is tried again';
    case 'failing':
      return 'Flipt fails; it is left alone for a while, and known answers and defaults are served';
    case 'unusable':
      return 'Flipt answers, but with nothing that can be used; known answers and defaults are served';
  }
}

/** What is said where another problem is left. */
const RELIEF: Readonly<Record<Problem, string>> = {
  unreached: 'Flipt can be reached',
  refused: 'Flipt accepts the credentials',
  failing: 'Flipt is asked again',
  unusable: 'Flipt gives answers that can be used',
};

export interface Health {
  readonly raise: (problem: Problem, failure: Failure) => void;
  readonly clear: (...problems: readonly Problem[]) => void;
  readonly has: (problem: Problem) => boolean;
}

export interface HealthReport {
  /** Whether there are answers to fall back on. */
  readonly knowsAnything: () => boolean;
  readonly changed: (condition: Condition, message: string) => void;
  readonly logger: Logger;
}

/** Owns the problems there are. Logs each once when it starts and once when it ends. */
export function providerHealth({ knowsAnything, changed, logger }: HealthReport): Health {
  const problems = new Map<Problem, Failure>();
  let condition: Condition = 'ready';

  const reassess = (message: string) => {
    const raised = [...problems.keys()].filter((problem) => problem !== 'unusable');
    const next = raised.length === 0 ? 'ready' : isStale(raised) ? 'stale' : 'error';
    if (next === condition) return;
    condition = next;
    changed(next, message);
  };
  /** An outage leaves known answers as good as they were; credentials that are refused are an error at once. */
  const isStale = (raised: readonly Problem[]) =>
    raised.every((problem) => problem === 'failing') && knowsAnything();

  return {
    raise(problem, failure) {
      if (problems.has(problem)) return;
      problems.set(problem, failure);
      // That a service which was never reached fails is nothing new.
      const known = problem === 'failing' && problems.has('unreached');
      logger[known ? 'debug' : 'warn'](`${headline(problem, failure)}: ${failure.message}`);
      reassess(failure.message);
    },
    clear(...named) {
      const cleared = named.filter((problem) => problems.delete(problem));
      if (cleared.length === 0) return;
      const message =
        problems.size === 0 ? 'Flipt answers again' : cleared.map((problem) => RELIEF[problem]).join('; ');
      logger[problems.size === 0 ? 'warn' : 'debug'](message);
      reassess(message);
    },
    has: (problem) => problems.has(problem),
  };
}
