import type { Clock } from '../../clock.js';
import type { ProviderState } from '../../diagnostics/provider-state.js';

/** The provider's condition, since when (milliseconds since the epoch), and the reason for `stale` and `error`. */
export interface Condition {
  readonly state: ProviderState | 'not-started' | 'starting' | 'closed';
  readonly at: number;
  readonly why: string | null;
}

/** The owner of the condition. */
export interface ConditionRecord {
  readonly current: () => Condition;
  readonly become: (state: Condition['state'], why?: string) => void;
}

export function conditionRecord(clock: Pick<Clock, 'date'>): ConditionRecord {
  const next = (state: Condition['state'], why: string | null): Condition => ({
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
