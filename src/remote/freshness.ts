import type { KnownAnswer } from '../model/answer.js';

/**
 * - `fresh`: used as it is.
 * - `stale`: used while one refresh runs in the background.
 * - `last-known`: used only if Flipt fails.
 * - `gone`: not used any more.
 */
export type Freshness = 'fresh' | 'stale' | 'last-known' | 'gone';

export interface FreshnessSettings {
  readonly freshForMs: number;
  readonly staleForMs: number;
  readonly staleOnErrorForMs: number;
  readonly negativeForMs: number;
}

export interface Aging {
  readonly answer: Pick<KnownAnswer, 'kind'>;
  /** When the answer came, in milliseconds of `clock.now()`. */
  readonly at: number;
  /** Whether the snapshot gave the same value when the answer came, so that it stays fresh until its flag changes. */
  readonly untilChange: boolean;
}

/** How well the polls see changes: for how long they are sure to, negative once they are not. */
export interface Sureness {
  readonly sureForMs: number;
  readonly maxAgeMs: number;
}

export function freshnessOf(
  { answer, at, untilChange }: Aging,
  now: number,
  settings: FreshnessSettings,
  sureness: (now: number) => Sureness | undefined,
): Freshness {
  const ageMs = now - at;
  const byAge = freshness(answer.kind, ageMs, settings);
  const sure = byAge === 'fresh' || !untilChange ? undefined : sureness(now);
  if (sure === undefined) return byAge;
  const leftMs = Math.min(sure.maxAgeMs - ageMs, sure.sureForMs);
  if (leftMs > 0) return 'fresh';
  // If all answers expired as soon as polls fail, all callers would have to wait for Flipt at once.
  return answer.kind !== 'missing' && -leftMs < settings.staleForMs ? 'stale' : byAge;
}

function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  // "No such flag" is never served stale: the flag may have been created since, and a caller must not get
  // FLAG_NOT_FOUND for a flag that exists.
  const [freshMs, staleMs] =
    kind === 'missing' ? [settings.negativeForMs, 0] : [settings.freshForMs, settings.staleForMs];
  if (ageMs < freshMs) return 'fresh';
  if (ageMs < freshMs + staleMs) return 'stale';
  return ageMs < freshMs + staleMs + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
