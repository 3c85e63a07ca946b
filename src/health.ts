import type { Failure } from './model.js';
import type { Logger } from './options.js';

/**
 * What keeps the provider from answering as it should; several may hold at once.
 * - `unreached`: the service has not answered since the start
 * - `refused`: it refuses the credentials
 * - `failing`: the circuit breaker is open
 * - `unusable`: it answers, but nothing that could be used; logged only, since it may be all about one flag
 */
export type Ailment = 'unreached' | 'refused' | 'failing' | 'unusable';
export type Condition = 'ready' | 'stale' | 'error';

const LOGGED: Readonly<Record<Ailment, string>> = {
  unreached: 'Flipt cannot be reached; defaults are served, and it is tried again in the background',
  refused:
    'Flipt accepts no credentials of ours; known answers and defaults are served, and it is tried again',
  failing: 'Flipt fails; it is left alone for a while, and known answers and defaults are served',
  unusable: 'Flipt answers, but with nothing that can be used; known answers and defaults are served',
};

export interface Health {
  readonly ail: (ailment: Ailment, failure: Failure) => void;
  readonly heal: (...ailments: readonly Ailment[]) => void;
  readonly has: (ailment: Ailment) => boolean;
}

export interface HealthReport {
  /** Whether there are answers to fall back on. */
  readonly knowsAnything: () => boolean;
  readonly changed: (condition: Condition, message: string) => void;
  readonly logger: Logger;
}

/** Owns what ails the provider. Says each thing once when it starts and once when it ends. */
export function providerHealth({ knowsAnything, changed, logger }: HealthReport): Health {
  const ailments = new Map<Ailment, Failure>();
  let condition: Condition = 'ready';

  const reassess = (message: string) => {
    const ailing = [...ailments.keys()].filter((ailment) => ailment !== 'unusable');
    const next = ailing.length === 0 ? 'ready' : isStale(ailing) ? 'stale' : 'error';
    if (next === condition) return;
    condition = next;
    changed(next, message);
  };
  /** An outage leaves known answers as good as they were; credentials that are refused are an error at once. */
  const isStale = (ailing: readonly Ailment[]) =>
    ailing.every((ailment) => ailment === 'failing') && knowsAnything();

  return {
    ail(ailment, failure) {
      if (ailments.has(ailment)) return;
      ailments.set(ailment, failure);
      // That a service which was never reached fails is nothing new.
      const known = ailment === 'failing' && ailments.has('unreached');
      logger[known ? 'debug' : 'warn'](`${LOGGED[ailment]}: ${failure.message}`);
      reassess(failure.message);
    },
    heal(...named) {
      const healed = named.filter((ailment) => ailments.delete(ailment));
      if (healed.length === 0) return;
      const message = ailments.size === 0 ? 'Flipt answers again' : `Flipt is no longer ${healed.join(', ')}`;
      logger[ailments.size === 0 ? 'warn' : 'debug'](message);
      reassess(message);
    },
    has: (ailment) => ailments.has(ailment),
  };
}
