import type { KnownAnswer } from '../model/answer.js';

/**
 * - `fresh`: used as it is · `stale`: used, while one refresh runs in the background
 * - `last-known`: used only if the service fails · `gone`: not used any more
 */
export type Freshness = 'fresh' | 'stale' | 'last-known' | 'gone';

export interface FreshnessSettings {
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly staleOnErrorForMs: number;
  readonly negativeForMs: number;
}

/** How an answer of a given age may be used. Pure arithmetic. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // A flag that was missing may just have been created, so that no caller gets the old answer meanwhile.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
