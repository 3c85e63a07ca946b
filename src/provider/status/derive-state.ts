import type { Diagnostics } from '../../model/events/reporter.js';
import type { Problems } from '../../model/events/internal-events.js';
import { endedMessage } from '../diagnostics/ended-problems.js';

/** The provider's state as OpenFeature names it. */
export type ProviderState = 'ready' | 'stale' | 'error';

/** What the provider falls back on when the service fails. */
export interface Fallback {
  /** Whether an answer is known. */
  readonly knowsAnything: () => boolean;
  readonly hasSnapshot: () => boolean;
}

/** A state, and what led to it. */
export interface DerivedState {
  readonly state: ProviderState;
  readonly message: string;
}

/**
 * Derives the provider's state from its problems. `changed` does not get the changes during the start of the service's
 * health, whose end is announced. The returned function gives the state, and what led to it.
 */
export function deriveState(
  { listen }: Pick<Diagnostics, 'listen'>,
  fallback: Fallback,
  changed: (state: ProviderState, message: string) => void,
): () => DerivedState {
  let derived: DerivedState = { state: 'ready', message: '' };
  let problems: Problems = new Map();

  const stateNow = (): ProviderState => {
    // Unusable responses may concern only one flag.
    const serious = [...problems.keys()].filter((problem) => problem !== 'responses-unusable');
    if (serious.length === 0) return 'ready';
    if (fallback.hasSnapshot()) return 'stale';
    // During an outage, known answers can be used. Rejected credentials are an error at once.
    const isOutage = serious.every((problem) => problem === 'circuit-open');
    return isOutage && fallback.knowsAnything() ? 'stale' : 'error';
  };
  const reassess = (message: string, isAnnounced: boolean) => {
    const state = stateNow();
    if (state === derived.state) return;
    derived = { state, message };
    if (isAnnounced) changed(state, message);
  };

  listen('health-changed', ({ before, after, starting }) => {
    problems = after;
    reassess(messageOf(before, after), !starting);
  });
  listen('snapshot-polled', ({ failure }) => {
    // The first snapshot may arrive during an outage.
    if (derived.state === 'error' && failure === undefined) reassess(messageOf(new Map(), problems), true);
  });
  return () => derived;
}

function messageOf(before: Problems, after: Problems): string {
  const begun = [...after].find(([problem]) => !before.has(problem));
  if (begun !== undefined) return begun[1].message;
  return endedMessage(before, after) ?? '';
}
