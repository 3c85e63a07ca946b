import type { GivenContext } from '../mapping/question-key.js';
import { EvaluatedEntity } from '../../engine/entity.js';
import { bucketDecides } from '../diagnostics/bucket-shared.js';
import { failedResolution, MISSING, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { ProviderSettings } from '../../options/settings.js';
import { perView, requestViewOf } from '../per-request/view.js';
import type { Runtime } from '../../model/runtime.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { unlessItThrows } from '../../base/text/describe.js';
import { askUnreadable } from './unreadable-flag.js';
import {
  attributeReader,
  entityId,
  contextFailure,
  NO_TARGETING_KEY,
  type OddAttribute,
} from '../mapping/attribute-text.js';
import type { Resolve } from './resolve-remotely.js';

/**
 * Gives access to the current snapshot and its age, and to Flipt for flags that cannot be evaluated in this process.
 */
interface InProcessSource {
  /** Returns the current snapshot, or `undefined` while there is no snapshot. */
  readonly snapshot: () => Snapshot | undefined;
  /** Begins a poll that is overdue, because the process was paused. */
  readonly used: (now: number) => void;
  /**
   * Returns how many milliseconds ago Flipt last confirmed the snapshot, or Infinity if Flipt has never confirmed it.
   */
  readonly ageMs: (now: number) => number;
  /** Returns `true` if the provider is not ready, or might have missed a change of flags in Flipt. */
  readonly isStale: (now: number) => boolean;
  /**
   * Resolves a flag that cannot be evaluated in this process. This member is `undefined` if the options forbid requests
   * to Flipt.
   */
  readonly ask: Resolve | undefined;
  /**
   * The evaluation calls this function with the name of an attribute whose object JSON writes as `{}` or as a text in
   * quotes, such as a `Map`.
   */
  readonly odd?: OddAttribute;
  /** The evaluation calls this function when the snapshot does not have the flag. */
  readonly missing: (flag: string) => void;
}

/**
 * Resolves the flags in `flagKeys`, or all flags of the snapshot if `flagKeys` is `undefined`. The work is divided
 * among several turns of the event loop. The promise resolves with a failure if the context cannot be read, and with
 * `undefined` if there is no snapshot from which the provider evaluates. The promise of a `ResolveAll` function never
 * rejects.
 */
export type ResolveAll = (
  context: GivenContext,
  flagKeys: readonly string[] | undefined,
) => Promise<ReadonlyMap<string, Resolution> | Failure | undefined>;

type ResolveHere = (...asked: Parameters<Resolve>) => Resolution | Promise<Resolution> | undefined;
type EvaluationSettings = Pick<ProviderSettings, 'attributes' | 'targetingKey' | 'deadlineMs'>;

/** Makes the functions that evaluate one flag of a snapshot. */
function flagEvaluation(
  source: InProcessSource,
  { attributes, targetingKey }: EvaluationSettings,
  { clock, wants, report }: Runtime,
) {
  const readAttribute = attributeReader(attributes, source.odd);
  /**
   * Returns the snapshot that is used for all evaluations of one HTTP request to the app, which a view identifies. The
   * current snapshot can be newer than the view's snapshot.
   */
  const keptBy = perView(() => {
    const snapshot = source.snapshot();
    const now = clock.now();
    return snapshot && { snapshot, confirmedAt: now - source.ageMs(now) };
  }, clock);

  const resolution = (
    answer: Resolution['answer'],
    snapshot: Snapshot,
    kept: KeptSnapshot | undefined,
  ): Resolution => {
    // The code reads the clock only once, because `resolution` runs in each evaluation in this process.
    const now = clock.now();
    source.used(now);
    const isReplaced = kept !== undefined && snapshot !== source.snapshot();
    const ageMs = isReplaced ? now - kept.confirmedAt : source.ageMs(now);
    return { answer, source: 'in-process', ageMs, stale: source.isStale(now), version: snapshot.version };
  };

  /** Reads the entity from the context. Throws if the context cannot be read. */
  const evaluatedEntity = (context: GivenContext) =>
    new EvaluatedEntity(entityId(context.targetingKey), context, readAttribute);

  /** Evaluates a flag. Throws if an attribute of the context cannot be read. */
  const evaluate = (
    flag: string,
    snapshot: Snapshot,
    entity: EvaluatedEntity,
    kept: KeptSnapshot | undefined,
  ): Resolution | UnreadableFlag => {
    if (entity.id === '' && targetingKey === 'required') return failedResolution(NO_TARGETING_KEY);
    const compiled = snapshot.compiled.flag(flag);
    if (compiled === undefined) {
      const unreadable = snapshot.flags.unreadable(flag);
      if (unreadable !== undefined) return unreadable;
      source.missing(flag);
      return resolution(MISSING, snapshot, kept);
    }
    const answer = compiled(entity);
    if (entity.id === '' && wants['bucket-shared'] && bucketDecides(snapshot.compiled, flag, entity)) {
      report({ type: 'bucket-shared', flag, attributes: entity.names() });
    }
    return resolution(answer, snapshot, kept);
  };

  return { evaluatedEntity, evaluate, keptBy };
}

/** The snapshot that a view uses for all flags of one HTTP request to the app. */
interface KeptSnapshot {
  readonly snapshot: Snapshot;
  /**
   * The time at which Flipt had last confirmed the snapshot when the view's first flag was evaluated, in milliseconds
   * of `clock.now()`.
   */
  readonly confirmedAt: number;
}

/** Evaluates flags in this process. */
export interface InProcess {
  /** Resolves one flag, or returns `undefined` while there is no snapshot. `resolve` never throws. */
  readonly resolve: ResolveHere;
  readonly resolveAll: ResolveAll;
  /**
   * Returns the snapshot from which flags are evaluated for this context, or `undefined` while there is no snapshot.
   * `snapshotFor` never throws.
   */
  readonly snapshotFor: (context: object) => Snapshot | undefined;
}

/**
 * Makes the functions that evaluate flags in this process. Until a view has ended, it uses the snapshot of its first
 * evaluation, so that the flags of one HTTP request to the app agree.
 */
export function inProcess(
  source: InProcessSource,
  settings: EvaluationSettings,
  runtime: Runtime,
): InProcess {
  const { clock } = runtime;
  const { evaluatedEntity, evaluate, keptBy } = flagEvaluation(source, settings, runtime);
  const { ask } = source;

  const resolveAll: ResolveAll = async (context, flagKeys) => {
    if (source.snapshot() === undefined) return undefined;
    try {
      const view = requestViewOf(context);
      const kept = keptBy(view);
      const snapshot = kept?.snapshot ?? source.snapshot();
      if (snapshot === undefined) return undefined;
      const resolutions = new Map<string, Resolution>();
      const unreadable: (readonly [flag: string, UnreadableFlag])[] = [];
      const entity = evaluatedEntity(context);
      const resolveOne = (flag: string) => {
        const found = evaluate(flag, snapshot, entity, kept);
        if ('answer' in found) resolutions.set(flag, found);
        else unreadable.push([flag, found]);
      };
      await snapshot.flags.each(clock, resolveOne, flagKeys);
      const asking = unreadable.map(async ([flag, found]) =>
        resolutions.set(flag, await askUnreadable(ask, found, flag, context, view)),
      );
      await Promise.all(asking);
      return resolutions;
    } catch (error) {
      return contextFailure(error);
    }
  };

  const resolve: ResolveHere = (flag, context, view) => {
    const kept = keptBy(view);
    const snapshot = kept?.snapshot ?? source.snapshot();
    if (snapshot === undefined) return undefined;
    try {
      const found = evaluate(flag, snapshot, evaluatedEntity(context), kept);
      return 'answer' in found ? found : askUnreadable(ask, found, flag, context, view);
    } catch (error) {
      return failedResolution(contextFailure(error));
    }
  };

  return {
    resolve,
    resolveAll,
    snapshotFor(context) {
      // If the context cannot be read, this code uses the current snapshot, and the evaluation reports the failure.
      const kept = unlessItThrows(() => keptBy(requestViewOf(context)));
      return kept?.snapshot ?? source.snapshot();
    },
  };
}
