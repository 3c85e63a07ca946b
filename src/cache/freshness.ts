import type { KnownAnswer } from '../model/answer.js';

/**
 * - `fresh`: told as it is · `stale`: told, while one refresh goes out behind it
 * - `last-known`: told only if the service fails · `gone`: as if it had never been
 */
export type Freshness = 'fresh' | 'stale' | 'last-known' | 'gone';

export interface FreshnessSettings {
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly staleOnErrorForMs: number;
  readonly negativeForMs: number;
}

/** How an answer of a given age may be used. Pure arithmetic: the age is told, not looked up. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // A flag that was missing may just have been created: nobody is told the old answer meanwhile.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
