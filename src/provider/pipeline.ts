import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Diagnostics } from '../model/events/reporter.js';
import type { Explanation } from '../engine/explain/explanation.js';
import type { Failure } from '../model/failure.js';
import type { Tracking, TrackingReading } from './tracking/tracking.js';
import type { EvaluateFlag } from './evaluate/evaluate-flag.js';
import type { ProviderSnapshots } from './snapshots/provider-snapshots.js';
import type { ResolveAll } from './evaluate/resolve-in-process.js';

/** Evaluates flags in this process or by asking the service, as the options and the snapshot allow. */
export interface Evaluations {
  /** The number of milliseconds that one evaluation can take. */
  readonly deadlineMs: number;
  /**
   * Evaluates one flag. The result is synchronous if the resolution is known at once. The function never throws or
   * rejects.
   */
  readonly evaluate: EvaluateFlag;
  /** Resolves flags from one snapshot. The result is `undefined` while there is no snapshot to evaluate from. */
  readonly resolveAll: ResolveAll;
  /**
   * Does the same as `resolveAll` as long as flags are evaluated in this process. Otherwise, the result is `undefined`.
   */
  readonly resolveEach: ResolveAll;
  /**
   * Returns the keys of all flags in the snapshot, or in the snapshot of the context's view. The result is `undefined`
   * while there is no snapshot.
   */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  /**
   * Returns whether these flags are evaluated in this process at present. By default, the function looks at all flags.
   */
  readonly isHere: (flags?: readonly string[]) => boolean;
  /**
   * Waits for the first poll if there is no snapshot yet, but not longer than the deadline. The promise never rejects.
   */
  readonly untilSnapshot: () => Promise<void>;
  /** Evaluates flags in advance, so that later questions find their answers. The promise never rejects. */
  readonly prefetch: (flagKeys: readonly string[], context: EvaluationContext) => Promise<void>;
  /** Explains why a flag has its value. Rejects with an error of OpenFeature if nothing can be explained. */
  readonly explain: (flagKey: string, context: EvaluationContext) => Promise<Explanation>;
}

/** The present values that the parts of a running provider report. */
export interface Readings {
  /**
   * When Flipt's overload began, in milliseconds since the epoch, or `undefined` while the provider sends all
   * questions.
   */
  readonly overloadSince: number | undefined;
  /** The snapshots, or `undefined` if the options allow none. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** How many answers are kept, and how many bytes they take. */
  readonly cache: { readonly entries: number; readonly bytes: number };
  /** How many requests are under way. */
  readonly inFlight: number;
  /** How many questions wait to be sent. */
  readonly waiting: number;
  /** What tracking reports, or `undefined` if the option `tracking` is not set. */
  readonly tracking: TrackingReading | undefined;
}

/** One life of a provider, which lasts from a start to the close. */
export interface Pipeline extends Evaluations {
  /** The snapshots, or `undefined` if the options allow none. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** Tracking, or `undefined` if the option `tracking` is not set. */
  readonly tracking: Tracking | undefined;
  /** Attaches a listener to the events that the layers report. */
  readonly listen: Diagnostics['listen'];
  /**
   * Starts this life of the provider. Concurrent callers share one start. The promise resolves with the failure of the
   * start, or with `undefined` if the start has succeeded. The promise never rejects.
   */
  readonly start: () => Promise<Failure | undefined>;
  /**
   * Polls if a poll is due and none is under way, for `withinMs` at most, which is `deadlineMs` by default. The promise
   * never rejects.
   */
  readonly refresh: (withinMs?: number) => Promise<void>;
  /** Returns what the parts of the provider report at present. */
  readonly read: () => Readings;
  /** Forgets the known answers of some flags, or of all flags, and polls soon. */
  readonly forget: (flags?: readonly string[]) => void;
  /** Closes this life of the provider, and ends everything that is still under way. The promise never rejects. */
  readonly close: () => Promise<void>;
}
