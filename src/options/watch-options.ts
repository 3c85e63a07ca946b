import * as v from 'valibot';
import { milliseconds, onOffOr, trueOrFalse, type RulesOf } from './value-rules.js';

/**
 * How changes of flags are noticed. Each poll asks Flipt whether anything has changed. A service that offers no
 * snapshots is asked again every five minutes.
 */
export interface WatchOptions {
  /**
   * Milliseconds between two polls, plus or minus 20 %. If the last two whole snapshots, both within
   * ten minutes, were slow, the next poll comes after 20 times the duration of the shorter one, at most after five
   * minutes. At least 1. Default 15000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Keeps a connection to Flipt's stream of changes, in addition to the polls, so that changes are noticed in about a
   * second. Needs Flipt 2.9; an older Flipt is only polled. Default false.
   */
  readonly stream?: boolean | undefined;
  /**
   * Most milliseconds for which an answer is fresh while the watch finds its flag unchanged, and for which an ETag is
   * believed that says so: then a poll fetches the whole snapshot, but at most one poll in four. Default 600000.
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * `false`: for runtimes that stop between requests, such as Cloudflare Workers. Flags are then evaluated in-process:
   * each call looks at the snapshot, and polls first if that is due, for half of `deadlineMs` at most. What the snapshot
   * cannot answer is sent in the caller's own request, for the other half. Nothing outlives the call that began it, so
   * that `cache`, `batch` and `breaker` have no effect, but for `batch.maxBytes`. `initialize` sends nothing. Excludes
   * `stream`, `reference` and `evaluation: 'remote'`. Default true.
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
