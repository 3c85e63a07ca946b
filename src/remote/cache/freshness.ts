import type { KnownAnswer } from '../../model/answer.js';

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

/** A kept answer. */
export interface Aging {
  readonly answer: Pick<KnownAnswer, 'kind'>;
  /** When it came, in the clock's milliseconds. */
  readonly at: number;
  /** The snapshot gives the same answer, so this one holds until the flag changes. */
  readonly untilChange: boolean;
}

/** How far the watch of the snapshot can be relied on. */
export interface Reliance {
  /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
  readonly lostForMs: number;
  /** An older answer is not fresh, in case a change was missed. Milliseconds. */
  readonly maxAgeMs: number;
}

/**
 * How an answer may be used. An answer that holds until its flag changes stays fresh while the watch would notice a
 * change. After that it is stale for `staleForMs`, whatever its age: an outage must not make all callers wait at once.
 */
export function freshnessOf(
  { answer, at, untilChange }: Aging,
  now: number,
  settings: FreshnessSettings,
  watch: { readonly reliance: (now: number) => Reliance | undefined } | undefined,
): Freshness {
  const byAge = freshness(answer.kind, now - at, settings);
  const reliance = byAge === 'fresh' || !untilChange ? undefined : watch?.reliance(now);
  if (reliance === undefined) return byAge;
  const overdueMs = Math.max(now - at - reliance.maxAgeMs, reliance.lostForMs);
  if (overdueMs < 0) return 'fresh';
  return overdueMs < settings.staleForMs ? 'stale' : byAge;
}

/** How an answer of a given age may be used. Pure arithmetic. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // A missing flag has no stale time: it may have been created meanwhile, and then no caller must get the old answer.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
