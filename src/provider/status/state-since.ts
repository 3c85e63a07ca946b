import type { Clock } from '../../clock.js';
import type { ProviderState } from './provider-state.js';

/** The provider's condition, since when (milliseconds since the epoch), and the reason for `stale` and `error`. */
export interface StateSince {
  readonly state: ProviderState | 'not-started' | 'starting' | 'closed';
  readonly at: number;
  readonly why: string | null;
}

/** The owner of the condition. */
export interface StateRecord {
  readonly current: () => StateSince;
  readonly become: (state: StateSince['state'], why?: string) => void;
}

export function stateRecord(clock: Pick<Clock, 'date'>): StateRecord {
  const next = (state: StateSince['state'], why: string | null): StateSince => ({
    state,
    at: clock.date(),
    why,
  });
  let condition = next('not-started', null);
  return {
    current: () => condition,
    become(state, why) {
      if (state === condition.state) return;
      // Being ready needs no reason.
      condition = next(state, state === 'stale' || state === 'error' ? (why ?? null) : null);
    },
  };
}
