import type { Diagnostics } from './diagnostics.js';
import type { Problem, Problems } from './events.js';
import { endedMessage } from './health-log.js';

/** The provider's state as OpenFeature names it. */
export type ProviderState = 'ready' | 'stale' | 'error';

/** Hears of each change of the provider's state after its start. */
export type OnStateChange = (state: ProviderState, message: string) => void;

/**
 * Derives the provider's state from the problems there are. The outcome of the start is the caller's to announce, so
 * that changes before it are not.
 */
export function watchState(
  { listen }: Pick<Diagnostics, 'listen'>,
  knowsAnything: () => boolean,
  changed: OnStateChange,
): void {
  let state: ProviderState = 'ready';
  listen('health-changed', ({ before, after, starting }) => {
    const next = stateOf(after, knowsAnything);
    if (next === state) return;
    state = next;
    if (!starting) changed(next, messageOf(before, after));
  });
}

function stateOf(problems: Problems, knowsAnything: () => boolean): ProviderState {
  // Unusable responses may be all about one flag.
  const serious = [...problems.keys()].filter((problem) => problem !== 'responses-unusable');
  if (serious.length === 0) return 'ready';
  // An outage leaves known answers as good as they were; rejected credentials are an error at once.
  return serious.every((problem) => problem === 'circuit-open') && knowsAnything() ? 'stale' : 'error';
}

function messageOf(before: Problems, after: Problems): string {
  const begun = [...after].find(([problem]) => !before.has(problem));
  if (begun !== undefined) return begun[1].message;
  const ended: Problem[] = [...before.keys()].filter((problem) => !after.has(problem));
  return endedMessage(ended, after.size) ?? '';
}
