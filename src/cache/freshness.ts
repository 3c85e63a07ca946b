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

/** An answer as it is kept. */
export interface Aging {
  readonly kind: KnownAnswer['kind'];
  readonly ageMs: number;
  /** The snapshot gives the same answer, so that it holds until the flag changes. */
  readonly untilChange: boolean;
}

/** How far the watch of the snapshot can be relied on. */
export interface Reliance {
  /** For how long a change might have gone unnoticed, in milliseconds; negative while it would be noticed. */
  readonly lostForMs: number;
  /** No answer is fresh for longer, in case a change was missed. */
  readonly maxAgeMs: number;
}

/** Without a watch. */
export const NO_RELIANCE: Reliance = { lostForMs: Infinity, maxAgeMs: 0 };

/**
 * How an answer may be used. What holds until its flag changes stays fresh while the watch would notice that. Afterwards
 * it is stale for its time, whatever its age is: not all callers shall wait just when there is trouble.
 */
export function freshnessOf(
  { kind, ageMs, untilChange }: Aging,
  settings: FreshnessSettings,
  { lostForMs, maxAgeMs }: Reliance,
): Freshness {
  const byAge = freshness(kind, ageMs, settings);
  if (byAge === 'fresh' || !untilChange) return byAge;
  const overdueMs = Math.max(ageMs - maxAgeMs, lostForMs);
  if (overdueMs < 0) return 'fresh';
  return overdueMs < settings.staleForMs ? 'stale' : byAge;
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
