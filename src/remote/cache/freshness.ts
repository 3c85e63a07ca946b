import type { KnownAnswer } from '../../model/answer.js';

/**
 * The ways in which a cached answer can be used.
 *
 * - `fresh`: the answer is used as it is.
 * - `stale`: the answer is used while one refresh runs in the background.
 * - `last-known`: the answer is used only if Flipt fails.
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
  /**
   * Is `true` if the snapshot gave the same value when the answer came from Flipt. An answer that the snapshot confirms
   * is fresh at least until it is older than `maxAgeMs` of `Reliance`, as long as the provider would see a change of
   * the answer's flag.
   */
  readonly untilChange: boolean;
}

/**
 * Says how well the provider sees changes of flags at present, by polls of the snapshot and by the stream of changes.
 */
export interface Reliance {
  /**
   * How many milliseconds ago the provider stopped being sure to see changes. The number is negative while the provider
   * is still sure: it then says for how long the provider stays sure without another poll.
   */
  readonly lostForMs: number;
  /**
   * The snapshot keeps a cached answer fresh only until the answer is older than this many milliseconds, because the
   * provider might have missed a change of the answer's flag.
   */
  readonly maxAgeMs: number;
}

/**
 * Returns how a cached answer can be used now. If `untilChange` is `true`, the answer stays fresh at least until it is
 * older than `maxAgeMs`, or until the provider would no longer see a change of its flag. When an answer with
 * `untilChange` is no longer fresh, it is stale for at least `staleForMs` milliseconds, whatever its age. If all
 * answers expired as soon as polls fail, all callers would have to wait for Flipt at once.
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

/** Returns how a cached answer of this age can be used. */
export function freshness(kind: KnownAnswer['kind'], ageMs: number, settings: FreshnessSettings): Freshness {
  const fresh = kind === 'missing' ? settings.negativeForMs : settings.freshForMs;
  if (ageMs < fresh) return 'fresh';
  // An answer which says that a flag does not exist does not become stale with age, but goes from fresh to last known.
  // The flag might have been created since the answer, and a caller must not get FLAG_NOT_FOUND for a flag that exists.
  const stale = kind === 'missing' ? fresh : fresh + settings.staleForMs;
  if (ageMs < stale) return 'stale';
  return ageMs < stale + settings.staleOnErrorForMs ? 'last-known' : 'gone';
}
