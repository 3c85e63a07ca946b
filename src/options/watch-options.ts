import * as v from 'valibot';
import { milliseconds, onOffOr, trueOrFalse, type RulesOf } from './value-rules.js';

/**
 * How the provider notices that flags have changed. Each poll asks Flipt whether anything has changed. If Flipt offers
 * no snapshots, the provider asks for one again: at first after a short time, and later every five minutes.
 */
export interface WatchOptions {
  /**
   * How many milliseconds pass between two polls, plus or minus 20 %. The provider polls a slow Flipt less often: if
   * the last two polls that fetched a whole snapshot, both within ten minutes, took long, the next poll comes after 20
   * times the duration of the faster one, and after five minutes at the latest. The least possible value is 1. Default
   * 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Whether the provider keeps a connection to Flipt's stream of changes, in addition to the polls, so that it notices
   * changes in about a second. The stream needs Flipt 2.9 or newer; an older Flipt is only polled. Default false.
   */
  readonly stream?: boolean | undefined;
  /**
   * For how many milliseconds at most an answer is fresh while the polls find its flag unchanged. For the same time,
   * the provider trusts Flipt's responses that, by an ETag, say that nothing has changed. After `maxAgeMs`, a poll
   * fetches the whole snapshot, but at most one poll in four does so. Default 600000.
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * Whether the provider can do work between calls. Set this option to `false` on a runtime that stops between
   * requests, such as Cloudflare Workers. With `false`, flags are evaluated in-process: each call answers from the
   * snapshot, and polls before that if a poll is due, for at most half of `deadlineMs`. A question that the snapshot
   * cannot answer is sent to Flipt in a request of its own, which can take the other half of `deadlineMs`. With
   * `false`, no work of the provider goes on after the call that began it. For this reason, `cache`, `batch` and
   * `breaker` have no effect with `false`, except for `batch.maxBytes`, and `initialize` sends no request. You cannot
   * set `stream`, `reference` or `evaluation: 'remote'` together with `background: false`. Default true.
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
