import type { KnownAnswer } from '../../model/answer.js';

/**
 * The ways in which a cached answer can be used.
 *
 * - `fresh`: the answer is used as it is.
 * - `stale`: the answer is used while one refresh runs in the background.
 * - `last-known`: the answer is used only if the service fails.
 * - `gone`: the answer is not used any more.
 */
export type Freshness = 'fresh' | 'stale' | 'last-known' | 'gone';

export interface FreshnessSettings {
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly staleOnErrorForMs: number;
  readonly negativeForMs: number;
}

/** The members of a cached answer that decide how the answer can be used. */
export interface Aging {
  readonly answer: Pick<KnownAnswer, 'kind'>;
  /** The time at which the answer came, in milliseconds of `clock.now()`. */
  readonly at: number;
  /** Whether the snapshot gives the same answer. If it does, the cached answer holds until the flag changes. */
  readonly untilChange: boolean;
}

/** The measure of how far the watch of the snapshot (its polls and stream) can be relied on. */
export interface Reliance {
  /**
   * The milliseconds for which a change might have gone unnoticed. The number is negative as long as a change would be
   * noticed.
   */
  readonly lostForMs: number;
  /**
   * An answer that is older than this many milliseconds is not fresh, because the watch may have missed a change of its
   * flag.
   */
  readonly maxAgeMs: number;
}

/**
 * Returns how an answer can be used now. An answer that holds until its flag changes stays fresh as long as the watch
 * of the snapshot would notice a change. When the watch would no longer notice a change, the answer is stale for
 * `staleForMs`, whatever its age, because an outage must not make all callers wait at once.
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

/** Returns how an answer of this age can be used. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // The answer that a flag is missing is never stale. The flag may have been created in the meantime, and no caller
  // must be told that an existing flag is missing.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
