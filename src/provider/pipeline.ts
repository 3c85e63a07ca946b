import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Problem } from '../model/events/flipt-event.js';
import type { Diagnostics } from '../model/events/reporter.js';
import type { Explanation } from '../engine/explanation.js';
import type { Failure } from '../model/failure.js';
import type { Tracking } from './tracking/tracking.js';
import type { EvaluateFlag } from './evaluate/evaluate-flag.js';
import type { ProviderSnapshots } from './snapshots/provider-snapshots.js';
import type { ResolveAll } from './evaluate/resolve-in-process.js';

/**
 * Evaluates flags in this process or by requests to Flipt. The options and the snapshot decide whether a flag is
 * evaluated in this process.
 */
export interface Evaluations {
  /** The longest time that one evaluation can take, in milliseconds. */
  readonly deadlineMs: number;
  /**
   * Evaluates one flag. If the call need not wait for a request, `evaluate` returns the resolution without a promise.
   * `evaluate` never throws, and its promise never rejects.
   */
  readonly evaluate: EvaluateFlag;
  /**
   * Resolves flags from one snapshot. The promise resolves with `undefined` while the provider has no snapshot from
   * which it evaluates.
   */
  readonly resolveAll: ResolveAll;
  /**
   * In-process, `resolveEach` does the same as `resolveAll`. In remote mode, the promise of `resolveEach` resolves with
   * `undefined`.
   */
  readonly resolveEach: ResolveAll;
  /**
   * Returns the keys of all flags in the snapshot that is used for this context, or `undefined` while there is no
   * snapshot.
   */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  /**
   * Returns `true` if the provider evaluates all of these flags in this process at present. Default of `flags`: all
   * flags.
   */
  readonly isHere: (flags?: readonly string[]) => boolean;
  /**
   * If there is no snapshot yet, `untilSnapshot` waits for the first poll, but at most for `deadlineMs`. The promise of
   * `untilSnapshot` never rejects.
   */
  readonly untilSnapshot: () => Promise<void>;
  /** Evaluates flags in advance, so that later evaluations find cached answers. The promise of `prefetch` never rejects. */
  readonly prefetch: (flagKeys: readonly string[], context: EvaluationContext) => Promise<void>;
  /**
   * Explains why a flag has its value for a context. The promise rejects with an error of OpenFeature if the context
   * cannot be used, or if there is no snapshot.
   */
  readonly explain: (flagKey: string, context: EvaluationContext) => Promise<Explanation>;
}

/** The present numbers and states of a running provider, for `getStatus()`. */
export interface Readings {
  readonly problems: readonly Problem[];
  /**
   * The time when Flipt's overload began, in milliseconds since the epoch. This member is `undefined` if there is no
   * overload.
   */
  readonly overloadSince: number | undefined;
  /** The snapshots, or `undefined` if the options allow no snapshot. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** The number of cached answers, and their bytes as `cache.maxBytes` counts them. */
  readonly cache: { readonly entries: number; readonly bytes: number };
  /** The number of HTTP requests to Flipt that are under way. */
  readonly inFlight: number;
  /** The number of questions (each is a flag and a context) that wait to be sent to Flipt. */
  readonly waiting: number;
  /** The counts of tracking, or `undefined` if the option `tracking` is not set. */
  readonly tracking: ReturnType<Tracking['read']> | undefined;
}

/** A provider from one start to the next close. */
export interface Pipeline extends Evaluations {
  /** The snapshots, or `undefined` if the options allow no snapshot. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** Tracking, or `undefined` if the option `tracking` is not set. */
  readonly tracking: Tracking | undefined;
  /** Adds a listener for events of the provider. */
  readonly listen: Diagnostics['listen'];
  /**
   * Starts the provider. Concurrent callers share one start. The promise resolves with the failure of the start, or
   * with `undefined` if the start has succeeded, and never rejects.
   */
  readonly start: () => Promise<Failure | undefined>;
  /**
   * Waits for a poll that is due or under way. The promise resolves after
   * `withinMs` milliseconds at the latest, and never rejects. Default of `withinMs`: `deadlineMs`.
   */
  readonly refresh: (withinMs?: number) => Promise<void>;
  /** Returns the present numbers and states of the provider. */
  readonly read: () => Readings;
  /**
   * Removes the cached answers of some flags, or of all flags if `flags` is `undefined`. If the option `watch` is on,
   * also polls at once.
   */
  readonly forget: (flags?: readonly string[]) => void;
  /**
   * Closes the provider, and waits about 2 s at most for everything that is still under way. The promise of `close`
   * never rejects.
   */
  readonly close: () => Promise<void>;
}
