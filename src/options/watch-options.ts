import * as v from 'valibot';
import { milliseconds, onOffOr, trueOrFalse, type RulesOf } from './value-rules.js';

/**
 * How the provider notices that flags have changed. Each poll asks Flipt, or a store that many instances share, whether
 * the snapshot has changed. If Flipt offers no snapshots, the provider polls again after a short time at first, and
 * later about every five minutes, or every `pollMs` if that is longer.
 */
export interface WatchOptions {
  /**
   * How many milliseconds usually pass between two polls, plus or minus 20 %. The provider polls a slow Flipt less
   * often: if two whole snapshots within ten minutes have each taken more than a twentieth of `pollMs`, the provider
   * waits before the next poll 20 times as long as the faster of these two snapshots took, but at most five minutes, or
   * `pollMs` if that is longer. The least possible value of `pollMs` is 1. Default 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Whether the provider also keeps a connection to Flipt's stream of changes, so that it usually notices changes in
   * about a second. The stream requires Flipt 2.9 or newer. With a Flipt before 2.9, the provider only polls. Default
   * false.
   */
  readonly stream?: boolean | undefined;
  /**
   * For how many milliseconds at most a cached answer is fresh while the polls find its flag unchanged. The provider
   * usually trusts responses with status 304, by which Flipt says that the snapshot has not changed, for at most
   * `maxAgeMs`. Then a poll without an ETag fetches the whole snapshot, but however short `maxAgeMs` is, it causes at
   * most one such poll in four. If a whole snapshot takes Flipt more than 750 ms, the provider can trust responses with
   * status 304 for up to an hour. Default 600000.
   */
  readonly maxAgeMs?: number | undefined;
}

export const watchRule = onOffOr({
  pollMs: v.optional(milliseconds(1), 15_000),
  stream: v.optional(trueOrFalse, false),
  maxAgeMs: v.optional(milliseconds(0), 600_000),
} satisfies RulesOf<WatchOptions>);
