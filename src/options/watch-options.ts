import * as v from 'valibot';
import { milliseconds, onOffOr, trueOrFalse, type RulesOf } from './value-rules.js';

/**
 * How the provider notices that flags have changed. Each poll asks Flipt whether anything has changed. If Flipt offers
 * no snapshots, the provider asks again, at first soon, and then every five minutes.
 */
export interface WatchOptions {
  /**
   * How many milliseconds pass between two polls, plus or minus 20 %. A slow Flipt is polled less often: if the last
   * two whole snapshots, both within ten minutes, were slow, the next poll comes after 20 times the duration of the
   * shorter one, at most after five minutes. The least value is 1. Default 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Whether the provider keeps a connection to Flipt's stream of changes, in addition to the polls, so that it notices
   * changes in about a second. This needs Flipt 2.9 or newer; an older Flipt is only polled. Default false.
   */
  readonly stream?: boolean | undefined;
  /**
   * For how many milliseconds at most an answer is fresh while the polls find its flag unchanged. For the same time,
   * the provider believes an ETag that says that nothing has changed; then a poll fetches the whole snapshot, but at
   * most one poll in four does. Default 600000.
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * Whether the provider may work between calls. Set it to `false` on a runtime that stops between requests, such as
   * Cloudflare Workers. Flags are then evaluated in-process: each call looks at the snapshot, and polls first if that
   * is due, for at most half of `deadlineMs`. What the snapshot cannot answer is sent in the caller's own request, for
   * the other half. Nothing outlives the call that began it. So `cache`, `batch` and `breaker` have no effect, except
   * for `batch.maxBytes`, and `initialize` sends nothing. You cannot give `stream`, `reference` or
   * `evaluation: 'remote'` with it. Default true.
   */
  readonly background?: boolean | undefined;
}

export const watchRule = v.pipe(
  onOffOr({
    pollMs: v.optional(milliseconds(1), 15_000),
    stream: v.optional(trueOrFalse, false),
    maxAgeMs: v.optional(milliseconds(0), 600_000),
    background: v.optional(trueOrFalse, true),
  } satisfies RulesOf<WatchOptions>),
  v.check((watch) => !watch?.stream || watch.background, 'either stream: true or background: false'),
);
