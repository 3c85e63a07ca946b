import type { KnownAnswer } from '../../model/answer.js';

/**
 * How an answer may be used.
 *
 * - `fresh`: it is used as it is.
 * - `stale`: it is used, while one refresh runs in the background.
 * - `last-known`: it is used only if the service fails.
 * - `gone`: it is not used any more.
 */
export type Freshness = 'fresh' | 'stale' | 'last-known' | 'gone';

export interface FreshnessSettings {
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly staleOnErrorForMs: number;
  readonly negativeForMs: number;
}

/** The members of a kept answer that decide how it may be used. */
export interface Aging {
  readonly answer: Pick<KnownAnswer, 'kind'>;
  /** When the answer came, in the clock's milliseconds. */
  readonly at: number;
  /** Whether the snapshot gives the same answer, so that this one holds until the flag changes. */
  readonly untilChange: boolean;
}

/** How far the watch of the snapshot can be relied on. */
export interface Reliance {
  /** For how many milliseconds a change might have gone unnoticed; negative while a change would be noticed. */
  readonly lostForMs: number;
  /** An answer that is older than this many milliseconds is not fresh, in case a change was missed. */
  readonly maxAgeMs: number;
}

/**
 * Returns how an answer may be used. An answer that holds until its flag changes stays fresh while the watch would
 * notice a change. After that it is stale for `staleForMs`, whatever its age, because an outage must not make all
 * callers wait at once.
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

/** Returns how an answer of a given age may be used. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // A missing flag has no stale time. The flag may have been created in the meantime, and then no caller must get the
  // old answer.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
