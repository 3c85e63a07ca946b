import type { EvaluationContext } from '@openfeature/server-sdk';
import type { Diagnostics } from '../model/events/reporter.js';
import type { Explanation } from '../engine/explain/explanation.js';
import type { Failure } from '../model/failure.js';
import type { Tracking, TrackingReading } from './tracking/tracking.js';
import type { EvaluateFlag } from './evaluate/evaluate-flag.js';
import type { ProviderSnapshots } from './snapshots/provider-snapshots.js';
import type { ResolveAll } from './evaluate/resolve-in-process.js';

/** Evaluates flags, wherever the options and the snapshot allow it. */
export interface Evaluations {
  /** Milliseconds that one evaluation may take. */
  readonly deadlineMs: number;
  /** Never throws or rejects. Synchronous if the resolution is known at once. */
  readonly evaluate: EvaluateFlag;
  /** Resolves flags from one snapshot; `undefined` while there is none to evaluate from. */
  readonly resolveAll: ResolveAll;
  /** As `resolveAll`, as long as flags are evaluated in this process; otherwise `undefined`. */
  readonly resolveEach: ResolveAll;
  /** The keys of all flags in the snapshot, or in that of the context's view; `undefined` while there is none. */
  readonly flagKeys: (context: object) => Iterable<string> | undefined;
  /** Whether these flags, by default all, are evaluated in this process at present. */
  readonly isHere: (flags?: readonly string[]) => boolean;
  /** Waits for the first poll, until the deadline, if there is no snapshot yet. Never rejects. */
  readonly untilSnapshot: () => Promise<void>;
  /** Evaluates flags ahead, so that later questions find their answers. Never rejects. */
  readonly prefetch: (flagKeys: readonly string[], context: EvaluationContext) => Promise<void>;
  /** Why a flag has its value. Rejects with an error of OpenFeature's if nothing can be explained. */
  readonly explain: (flagKey: string, context: EvaluationContext) => Promise<Explanation>;
}

/** The present values of the parts of a running provider. */
export interface Readings {
  /** Milliseconds since the epoch; `undefined` while no questions are shed. */
  readonly overloadSince: number | undefined;
  /** `undefined` if there is never one. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** Answers that are kept, and their bytes. */
  readonly cache: { readonly entries: number; readonly bytes: number };
  /** Requests under way. */
  readonly inFlight: number;
  /** Questions that wait to be sent. */
  readonly waiting: number;
  /** `undefined` without the option `tracking`. */
  readonly tracking: TrackingReading | undefined;
}

/** One life of a provider, from start to close. */
export interface Pipeline extends Evaluations {
  /** `undefined` if there is never a snapshot. */
  readonly snapshots: ProviderSnapshots | undefined;
  /** `undefined` without the option. */
  readonly tracking: Tracking | undefined;
  /** Attaches a listener to what the layers report. */
  readonly listen: Diagnostics['listen'];
  /** Starts it. Concurrent callers share one start. Resolves with the failure, if there is one. Never rejects. */
  readonly start: () => Promise<Failure | undefined>;
  /** Polls if that is due and no poll is under way, for `withinMs` at most: by default `deadlineMs`. Never rejects. */
  readonly refresh: (withinMs?: number) => Promise<void>;
  /** What its parts are doing now. */
  readonly read: () => Readings;
  /** Forgets the known answers of some flags, or of all, and polls soon. */
  readonly forget: (flags?: readonly string[]) => void;
  /** Ends all that is under way. Never rejects. */
  readonly close: () => Promise<void>;
}
